"""Models that Stable-Baselines3 or sb3-contrib saved: what a file holds, and how it is opened."""

import io
import zipfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from terc.agents.sb3 import RECURRENT, WAY_OUT, SB3Policy, missing_statistics
from terc.checks import called_rightly
from terc.errors import BadTypeError, BadValueError, DataFileError, MissingExtraError, unknown_name
from terc.trajectories.columns import one_line
from terc.untrusted import DAMAGED, parsed

MISSING = "Stable-Baselines3 is not installed; run: pip install 'terc[sb3]'"
SAVED_BY = "It is the .pkl that env.save(...) of the VecNormalize wrote beside the model."
CONTRIB_MISSING = "sb3-contrib is not installed; run: pip install 'terc[sb3]'"

# A setting that only this algorithm has, or the folder of its policy class; both stand as plain text in the
# file, so nothing is unpickled to find them. The first that fits counts.
SIGNS = {
    "RecurrentPPO": "common.recurrent",
    "MaskablePPO": "common.maskable",
    "QRDQN": "n_quantiles",
    "DQN": "exploration_fraction",
    "CrossQ": "sb3_contrib.crossq",
    "TD3": "target_policy_noise",
    "TQC": "top_quantiles_to_drop_per_net",
    "SAC": "target_entropy",
    "ARS": "n_delta",
    "TRPO": "cg_max_steps",
    "PPO": "clip_range",
    "A2C": "gae_lambda",
}
PLAIN = ("PPO", "A2C", "DQN", "SAC", "TD3", "DDPG")
CONTRIB = ("QRDQN", "TQC", "TRPO", "MaskablePPO", "CrossQ", "ARS")
ALGORITHMS = (*PLAIN, *CONTRIB)


@dataclass(frozen=True)
class ModelFile:
    """What a saved model shows of itself before anything in it is unpickled.

    Attributes:
        path: The .zip, or the folder it was unpacked into.
        algorithm: Such as "PPO"; None where it cannot be known.
        settings: The plain part of its settings.
    """

    path: Path
    algorithm: str | None
    settings: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the plain part of a model's file or folder."""
        try:
            settings = parsed(_part(path, "data"))
        except (OSError, KeyError, ValueError, *DAMAGED) as error:
            raise DataFileError(
                f"load_policy: {path.name} is not a Stable-Baselines3 model ({error})."
            ) from error
        home = str((settings.get("policy_class") or {}).get("__module__", ""))
        found = next((name for name, sign in SIGNS.items() if sign in settings or sign in home), None)
        if found == "TD3" and settings.get("policy_delay") == 1 and settings.get("target_noise_clip") == 0:
            found = "DDPG"
        return cls(path, found, settings)

    @property
    def surely_unscaled(self) -> bool:
        """Whether an on-policy training notes that there was no `VecNormalize`."""
        trained = self.settings.get("num_timesteps", 0) > 0 and "replay_buffer_class" not in self.settings
        return bool(trained and self.settings.get("_last_original_obs") is None)

    def made_with(self) -> str:
        """The versions that the model notes of itself, in one line."""
        try:
            notes = _part(self.path, "system_info.txt").decode(errors="replace")
        except (OSError, KeyError, *DAMAGED):
            return "unknown versions"
        return ", ".join(line.strip("- ") for line in notes.splitlines()[:20]) or "unknown versions"

    def opened(self) -> Any:
        """What `load` of Stable-Baselines3 takes: the file, or the folder packed again."""
        if not self.path.is_dir():
            return self.path
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for part in sorted(self.path.iterdir()):
                archive.write(part, part.name)
        packed.seek(0)
        return packed


@called_rightly
def load_sb3(
    path: str | Path, *, allow_pickle: bool = False, algorithm: str | None = None, vec_normalize: Any = None
) -> SB3Policy:
    """A model saved by Stable-Baselines3, which needs pickle and therefore `allow_pickle=True`.

    Args:
        path: The `.zip` that `model.save` wrote, or the folder of a model from Hugging Face or rl-zoo, in
            which its `VecNormalize` is found.
        allow_pickle: Such a file can run any code when opened; say True only if you trust where it comes
            from.
        algorithm: Such as "PPO" or "TQC"; found out from the file when None.
        vec_normalize: The `VecNormalize` it was trained with, or its file, a pickle as well; False or "none"
            where there was none.

    Raises:
        DataFileError: Not such a model, in need of pickle, or statistics lie beside it that were not given.
        BadValueError: It was trained behind `VecNormalize`, and the statistics are not given.
    """
    whole = Path(path)
    file = ModelFile.read(_model_in(whole) if whole.is_dir() else whole)
    statistics = _statistics(file, vec_normalize, whole)
    if not allow_pickle:
        raise DataFileError(_what_would_be_loaded(file, statistics))
    name = algorithm if algorithm is not None else file.algorithm
    if name == "RecurrentPPO":
        raise BadTypeError(RECURRENT)
    if name is None:
        raise DataFileError(
            f"load_policy: {file.path.name} does not name its algorithm; name it: algorithm='PPO' (or "
            f"{', '.join(ALGORITHMS)})."
        )
    kind = algorithm_class(name)
    if isinstance(statistics, Path):
        statistics = _load_vec_normalize(statistics)
    model = _load_model(kind, file)
    if statistics is None and (why := missing_statistics(model, has_env=False)):
        raise BadValueError(f"load_policy: {why}. {WAY_OUT}")
    return SB3Policy(model, statistics)


def _load_model(kind: Any, file: ModelFile) -> Any:
    home = str((file.settings.get("replay_buffer_class") or {}).get("__module__", ""))
    # A buffer of hindsight cannot be made without the environment, and acting needs none.
    plain: dict[str, Any] = (
        {"replay_buffer_class": None, "replay_buffer_kwargs": {}} if ".her." in home else {}
    )
    try:
        return kind.load(file.opened(), device="cpu", **plain)
    except Exception as error:  # whatever pickles of another version, or of damaged files, do
        raise DataFileError(
            f"load_policy: {file.path.name} cannot be opened with the packages that are here "
            f"({type(error).__name__}: {one_line(error)}). It was saved with {file.made_with()}. Install "
            "these, or load it where they are installed and save it again."
        ) from error


def algorithm_class(name: str) -> Any:
    """The class of an algorithm, of whichever of the two packages has it."""
    if name not in ALGORITHMS:
        raise unknown_name("load_policy", "algorithm", name, sorted(ALGORITHMS))
    try:
        return getattr(import_module("stable_baselines3" if name in PLAIN else "sb3_contrib"), name)
    except ImportError as error:
        raise MissingExtraError(MISSING if name in PLAIN else f"{name}: {CONTRIB_MISSING}") from error


def _part(path: Path, name: str) -> bytes:
    """A part of a model's file or folder."""
    if path.is_dir():
        return (path / name).read_bytes()
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def _model_in(folder: Path) -> Path:
    """The one model in a folder as Hugging Face and rl-zoo lay it out."""
    if (folder / "data").is_file():
        return folder
    found = [path for path in sorted(folder.glob("*.zip")) if _is_model(path)]
    if not found:
        found = [path for path in sorted(folder.iterdir()) if path.is_dir() and (path / "data").is_file()]
    if len(found) == 1:
        return found[0]
    there = f"found {', '.join(path.name for path in found)}; name one" if found else "found none"
    raise DataFileError(
        f"load_policy: wanted one Stable-Baselines3 model in the folder {folder.name}, {there}."
    )


def _is_model(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "data" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _statistics(file: ModelFile, given: Any, whole: Path) -> Any:
    """The `VecNormalize`, its file, False where there was none, None where nothing is known."""
    if given is False or (isinstance(given, str | Path) and str(given) == "none"):
        return False
    if isinstance(given, str | Path):
        if not Path(given).is_file():
            raise DataFileError(f"load_policy: there is no file {str(given)!r} (--vecnormalize).")
        return Path(given)
    if given is not None:
        return given
    near = [*whole.glob("*.pkl"), *whole.glob("*/*.pkl")] if whole.is_dir() else whole.parent.glob("*.pkl")
    named = sorted(path for path in near if "normalize" in path.name.lower().replace("_", ""))
    found = [] if file.surely_unscaled else named
    if len(found) == 1 and whole.is_dir():
        return found[0]
    if found:
        raise DataFileError(
            "load_policy: VecNormalize saves its statistics in files such as "
            f"{', '.join(path.name for path in found)} near {whole.name}, and none was given. {WAY_OUT}"
        )
    return None


def _what_would_be_loaded(file: ModelFile, statistics: Any) -> str:
    pickled = [k for k, v in file.settings.items() if isinstance(v, dict) and ":serialized:" in v]
    named = statistics.name if isinstance(statistics, Path) else ""
    beside = f", and {named}, the pickle of its VecNormalize," if named else ""
    return (
        f"load_policy: {file.path.name} is a Stable-Baselines3 model ({file.algorithm or 'unknown'}; "
        f"{len(pickled)} pickled settings, {', '.join(pickled[:2])}, ...){beside} and needs pickle, which "
        "can run any code when opened. If you trust where it comes from: "
        f"terc.agents.load_policy({file.path.name!r}, allow_pickle=True), or --allow-pickle."
    )


def _load_vec_normalize(path: Path) -> Any:
    import pickle

    try:
        with path.open("rb") as stream:
            loaded = pickle.load(stream)  # the caller has said allow_pickle=True
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        kind = "is a model, not" if _is_model(path) else "cannot be unpickled as"
        raise DataFileError(
            f"vec_normalize (--vecnormalize): {path.name} {kind} the statistics of a VecNormalize "
            f"({one_line(error)}). {SAVED_BY}"
        ) from error
    if not hasattr(loaded, "normalize_obs"):
        raise DataFileError(
            f"vec_normalize (--vecnormalize): {path.name} holds a {type(loaded).__name__}, not a "
            f"VecNormalize. {SAVED_BY}"
        )
    return loaded
