"""`Lessons`: how far one student is, kept in a file after each lesson, so that a killed call continues."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from terc.agents.network_policy import NetworkPolicy
from terc.agents.policy import PolicySpec, read_arrays, write_arrays
from terc.arrays import Array
from terc.errors import BadValueError, DataFileError
from terc.returns.distilled import Round
from terc.returns.student import Student

FORMAT = "terc lessons 2"


@dataclass
class Lessons:
    """The lessons of one student so far.

    Attributes:
        identity: Digest of all that the student depends on; a file with another one is refused.
        candidates: The policy after the best lesson, as it is to act, and by how much it surpassed its
            teacher.
        states: Full states that the student came to, for its later lessons `[n, d]`.
        targets: What the teacher says of them `[n, width]`.
    """

    student: Student
    file: Path | None
    identity: str
    rounds: list[Round] = field(default_factory=list)
    over: bool = False
    candidates: list[tuple[float, NetworkPolicy]] = field(default_factory=list)
    states: Array = field(default_factory=lambda: np.zeros((0, 0)))
    targets: Array = field(default_factory=lambda: np.zeros((0, 0)))

    @classmethod
    def begin(
        cls, student: Student, file: Path | None, identity: str, *, spec: PolicySpec, rng: np.random.Generator
    ) -> Self:
        """No lesson yet, or those that are in the file; then `rng` stands where it stood after them."""
        fresh = cls(student, file, identity)
        if file is None or not file.exists():
            return fresh
        header, arrays = read_arrays(file, FORMAT)
        if header["identity"] != identity:
            raise BadValueError(
                f"distill: {file.parent} holds the lessons of another distillation (other variables, policy, "
                "recording or settings); give another folder, or delete this one."
            )
        fresh.rounds, fresh.over = [Round(**one) for one in header["rounds"]], header["over"]
        fresh.states, fresh.targets = arrays["seen_states"], arrays["seen_targets"]
        student.restore({k.removeprefix("student_"): v for k, v in arrays.items() if "student_" in k})
        best = {k.removeprefix("best_"): v for k, v in arrays.items() if k.startswith("best_")}
        fresh.candidates = [(header["surplus"], NetworkPolicy.restore(spec, header["best"], best))]
        rng.bit_generator.state = header["rng"]
        return fresh

    @property
    def best(self) -> NetworkPolicy:
        """The policy after the lesson that came closest to the teacher, or surpassed it most."""
        return self.candidates[0][1]

    def add(self, lesson: Round, network: NetworkPolicy, *, over: bool) -> None:
        """One more lesson, and the policy after it."""
        self.rounds.append(lesson)
        self.over = over
        surplus = lesson.mean - lesson.teacher
        if not self.candidates or surplus > self.candidates[0][0]:
            self.candidates = [(surplus, network)]

    def collect(self, states: Array, targets: Array) -> None:
        """States that the student came to, with the teacher's answers."""
        self.states = np.concatenate([self.states, states]) if len(self.states) else states
        self.targets = np.concatenate([self.targets, targets]) if len(self.targets) else targets

    def save(self, *, rng: np.random.Generator) -> None:
        """Keep everything in the file, if there is one."""
        if self.file is None:
            return
        surplus, best = self.candidates[0]
        settings, arrays = best.as_settings()
        header: dict[str, Any] = {"format": FORMAT, "identity": self.identity, "over": self.over}
        header |= {"rounds": [asdict(one) for one in self.rounds], "surplus": surplus, "best": settings}
        header["rng"] = rng.bit_generator.state
        found = {f"best_{name}": array for name, array in arrays.items()}
        found |= {f"student_{name}": array for name, array in self.student.arrays().items()}
        found |= {"seen_states": self.states, "seen_targets": self.targets}
        try:
            write_arrays(self.file, header, found)
        except OSError as error:
            raise DataFileError(
                f"distill: cannot write in {self.file.parent} ({error.strerror or error})."
            ) from error
