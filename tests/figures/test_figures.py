"""Every picture: it shows the numbers it was given, carries a text alternative and survives hostile names."""

from dataclasses import replace
from xml.etree import ElementTree

import example_data
import matplotlib
import numpy as np
import pytest
from matplotlib.patches import Rectangle

from terc import figures
from terc.errors import BadValueError, TercError
from terc.figures.style import KEPT, NULL, shown_rows
from terc.redundancy.history_length import HistoryLength
from terc.redundancy.lags import split_lag
from terc.selection.result import Interval, Selection, Step, Verdict
from terc.selection.visible_names import visible
from terc.synthetic import four_redundant

HOSTILE = [
    "<script>alert(1)</script>",
    "quo\"te's & more",
    "line\nbreak",
    "שלום",
    r"$\frac{1}{2}$ $x$",
    "\u202eevil",
    "速度",
]


def renamed(selection, names=HOSTILE):
    new = {v.name: (names[i] if i < len(names) else v.name) for i, v in enumerate(selection.verdicts)}
    rows = tuple(
        replace(v, name=new[v.name], given=tuple(new[g] for g in v.given)) for v in selection.verdicts
    )
    steps = tuple(replace(s, tried=tuple(new[t] for t in s.tried)) for s in selection.steps)
    return replace(selection, verdicts=rows, steps=steps)


def lagged(selection):
    names = [f"{v.name}[-{i}]" for i, v in enumerate(renamed(selection).verdicts)]
    return renamed(selection, names)


def with_redundancy(selection):
    first = replace(selection.verdicts[0], kept=False, reason="redundant", given=selection.names[1:3])
    return replace(selection, verdicts=(first, *selection.verdicts[1:]))


BARS = example_data.condition_1().most_redundant
BARS = replace(BARS, pairs=tuple(replace(p, first=tuple(HOSTILE[:2])) for p in BARS.pairs))
TIMES = [replace(t, runtime=HOSTILE[0]) for t in example_data.inference()]
CURVES = dict(zip(HOSTILE, example_data.curves().values(), strict=False))
PICTURES = {
    "gain_bars": lambda s: figures.gain_bars(s),
    "gain_bars of many": lambda s: figures.gain_bars({n: s for n in HOSTILE[:4]}),
    "elimination_path": lambda s: figures.elimination_path(s),
    "redundancy_groups": lambda s: figures.redundancy_groups(with_redundancy(s)),
    "bayesian_network": lambda s: figures.bayesian_network(s),
    "lag_heat_map": lambda s: figures.lag_heat_map(lagged(s)),
    "quarter_gains": lambda s: figures.quarter_gains({"1": s, "<b>": s}),
    "method_agreement": lambda s: figures.method_agreement({n: s for n in HOSTILE[:5]}),
    "agent_agreement": lambda s: figures.agent_agreement({n: s.kept for n in HOSTILE[:5]}, s.names),
    "history_length_curve": lambda s: figures.history_length_curve(example_data.history()),
    "learning_curves": lambda s: figures.learning_curves(CURVES),
    "return_by_state_length": lambda s: figures.return_by_state_length(
        {n: (len(n), [1.0, 2.0]) for n in HOSTILE}
    ),
    "inference_times": lambda s: figures.inference_times(TIMES),
    "condition_1_bars": lambda s: figures.condition_1_bars(BARS),
    "estimator_health": lambda s: figures.estimator_health({n: (0.1, 0.2) for n in HOSTILE}),
}


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("names", [None, HOSTILE], ids=["plain", "hostile"])
def test_every_picture_is_an_svg_with_real_text_and_an_alternative(name, names):
    selection = example_data.cart_pole() if names is None else renamed(example_data.cart_pole())
    figure = PICTURES[name](selection)
    assert len(figure.get_label()) > 20
    text = figures.to_svg(figure, "key")
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert root.find("title").text == figure.get_label()
    assert root.find("title").get("id") == root.get("aria-labelledby")
    assert [
        e for e in root.iter() if e.tag in ("script", "image", "foreignObject", "metadata", "style")
    ] == []
    assert all(e.get("id", "key-").startswith("key-") for e in root.iter())
    written = " ".join("".join(e.itertext()) for e in root.iter("text"))
    assert written.strip(), "labels must stay text"
    assert "\n" not in written


def test_hostile_names_stand_in_the_picture_letter_by_letter():
    root = ElementTree.fromstring(figures.to_svg(figures.gain_bars(renamed(example_data.cart_pole()))))
    written = {"".join(e.itertext()).strip().strip("\u200e") for e in root.iter("text")}
    for name in HOSTILE:
        assert visible(name) in written or any("…" in w and w[:5] == visible(name)[:5] for w in written), name
    assert r"$\frac{1}{2}$ $x$" in written


def test_bars_are_as_long_as_the_gains_and_filled_when_kept():
    selection = example_data.cart_pole()
    axes = figures.gain_bars(selection).axes[0]
    bars = [p for p in axes.patches if isinstance(p, Rectangle)]
    names = [t.get_text() for t in axes.get_yticklabels()]
    assert names[:4] == ["theta_dot", "theta", "x_dot", "x"]
    for name, bar in zip(names, bars, strict=True):
        assert bar.get_width() == pytest.approx(selection[name].gain)
        assert (matplotlib.colors.to_hex(bar.get_facecolor()) == KEPT) == selection[name].kept


def test_the_null_is_one_dashed_red_line_when_common_and_pieces_when_not():
    selection = example_data.cart_pole()
    red = [line for line in figures.gain_bars(selection).axes[0].lines if line.get_color() == NULL]
    assert [line.get_xdata()[0] for line in red] == [pytest.approx(0.004)]
    assert red[0].is_dashed()
    rows = tuple(replace(v, null_high=0.01 * (i + 1)) for i, v in enumerate(selection.verdicts))
    axes = figures.gain_bars(replace(selection, verdicts=rows)).axes[0]
    pieces = [c for c in axes.collections if matplotlib.colors.to_hex(c.get_colors()[0]) == NULL]
    assert len(pieces[0].get_segments()) == 7


def test_many_variables_show_the_kept_and_the_ten_strongest_removed():
    rows, hidden = shown_rows(example_data.secret_keys(300), 30)
    assert [v.name for v in rows[:3]] == ["key_5", "key_1", "key_299"]
    assert len(rows) == 13
    assert hidden == 287
    removed = [v.gain for v in rows[3:]]
    others = [v.gain for v in example_data.secret_keys(300).verdicts if not v.kept]
    assert removed == sorted(others, reverse=True)[:10]
    assert figures.gain_bars(example_data.secret_keys(300)).get_size_inches()[1] < 6


def test_the_path_counts_who_remains():
    axes = figures.elimination_path(example_data.secret_keys(50)).axes[0]
    assert [t.get_text() for t in axes.texts] == ["27", "3", "3", "3", "3"]


def test_the_path_counts_what_was_screened_and_what_was_restored():
    rows = [Verdict(n, 0.1, 0.0, 0.2, 0.01, 0.0, n == "a", "needed") for n in "abcdef"]
    steps = [
        Step(("b",), 2, 0.0, 1.0, True),
        Step(("a",), 1, 0.0, 1.0, True),
        Step(("a",), 0, 1.0, 0.0, False),
    ]
    drawn = figures.elimination_path(
        replace(example_data.cart_pole(), verdicts=tuple(rows), steps=tuple(steps))
    )
    assert [t.get_text() for t in drawn.axes[0].texts] == ["2", "1", "1"]
    assert drawn.get_label() == "Path of elimination in 3 tests: b removed; 1 variable remains at the end."


def test_the_path_of_the_naive_method_ends_with_the_kept():
    rows = [Verdict(n, 0.1, 0.0, 0.2, 0.01, 0.0, n == "a", "needed") for n in "abc"]
    steps = [Step((n,), 2, 0.0, 1.0, n != "a") for n in "abc"]
    naive = replace(example_data.cart_pole(), verdicts=tuple(rows), steps=tuple(steps))
    label = figures.elimination_path(naive).get_label()
    assert label == "Path of elimination in 3 tests: b, c removed; 1 variable remains at the end."


def test_a_long_path_leaves_out_its_middle_and_says_so():
    selection = example_data.cart_pole()
    figure = figures.elimination_path(replace(selection, steps=selection.steps * 20), top=10)
    assert len(figure.axes[0].texts) == 10
    assert "90 tests left out" in figure.axes[2].get_xlabel()


def with_largest(value):
    found = example_data.condition_1()
    first, *rest = found.most_redundant.pairs
    pairs = (replace(first, value=Interval(value, value, value)), *rest)
    return replace(found, most_redundant=replace(found.most_redundant, pairs=pairs))


def red_bars(figure):
    bars = [p for p in figure.axes[0].patches if isinstance(p, Rectangle) and p.get_height() < 0.4]
    return sum(matplotlib.colors.to_hex(p.get_facecolor()) == NULL for p in bars)


def test_condition_1_marks_what_reaches_the_entropy_of_the_action():
    assert red_bars(figures.condition_1_bars(with_largest(0.689))) == 1
    assert red_bars(figures.condition_1_bars(with_largest(0.68))) == 0
    violated = replace(with_largest(0.689), verdict="violated")
    assert "Condition 1 is violated." in figures.condition_1_bars(violated).get_label()


def test_condition_1_of_a_continuous_action_has_no_region():
    continuous = replace(example_data.condition_1(), paper_test="not decided")
    assert "H(A)" not in figures.to_svg(figures.condition_1_bars(continuous))
    assert "H(A)" in figures.to_svg(figures.condition_1_bars(example_data.condition_1()))


def test_the_words_of_a_long_pair_lie_within_the_picture():
    names = (
        "a_long_name_of_1",
        "a_long_name_of_2",
        "a_long_name_of_3",
        "a_long_name_of_4",
        "a_long_name_of_5",
    )
    most = example_data.condition_1().most_redundant
    pairs = tuple(replace(pair, first=names[:3], second=names[1:]) for pair in most.pairs)
    figure = figures.condition_1_bars(replace(most, pairs=pairs))
    figure.draw_without_rendering()
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in figure.axes[0].texts)


@pytest.mark.parametrize("draw", [lambda s: figures.gain_bars({"a": s, "b": s}),
                                  lambda s: figures.quarter_gains({"1": s, "2": s})])  # fmt: skip
def test_panels_side_by_side_say_what_their_bars_and_lines_mean(draw):
    legend = draw(example_data.cart_pole()).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["kept", "removed", "95 % interval", "chance"]


def test_history_curve_is_what_each_length_holds():
    figure = figures.history_length_curve(example_data.history())
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), [0, 0.17, 0.37, 0.55, 0.55, 0.55, 0.55])
    assert figure.axes[0].lines[1].get_xdata()[0] == 3


def test_learning_curves_draw_the_interquartile_mean():
    returns = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [100.0, 100.0]])
    line = figures.learning_curves({"full": ([0, 10], returns)}, goal=5).axes[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), [1.5, 2.5])


def test_lag_heat_map_places_every_lag():
    axes = figures.lag_heat_map(example_data.prisoners()).axes[0]
    assert [t.get_text() for t in axes.get_xticklabels()] == [str(k) for k in range(1, 10)]
    of_history = figures.lag_heat_map(example_data.history()).axes[0]
    assert [t.get_text() for t in of_history.get_xticklabels()] == [str(k) for k in range(1, 7)]
    assert split_lag("a[-2][-11]") == ("a[-2]", 11)
    assert split_lag("a[2]") == ("a[2]", 0)
    assert split_lag("repair_2") == ("repair_2", 0)


def test_inference_times_write_the_ratio_of_medians():
    texts = [t.get_text() for t in figures.inference_times(example_data.inference()).axes[0].texts]
    assert "1.22×" in texts


def test_selections_without_intervals_can_be_drawn():
    nan = float("nan")
    rows = tuple(
        Verdict(n, g, nan, nan, nan, nan, g > 0.1, "") for n, g in (("a", 0.5), ("b", nan), ("c", 0.0))
    )
    selection = Selection(rows, method="umfi")
    for draw in (figures.gain_bars, figures.bayesian_network):
        assert "nan" not in figures.to_svg(draw(selection)).lower()
    assert "score" in figures.to_svg(figures.gain_bars(selection))


def test_the_settings_of_the_caller_are_left_alone_and_do_not_matter():
    with matplotlib.rc_context({"text.color": "#ff0000", "font.size": 30, "axes.facecolor": "#00ff00"}):
        before = dict(matplotlib.rcParams)
        strange = figures.to_svg(figures.gain_bars(example_data.cart_pole()))
        assert dict(matplotlib.rcParams) == before
    assert strange == figures.to_svg(figures.gain_bars(example_data.cart_pole()))


EMPTY = Selection(())
ERRORS = {
    "gain_bars: the selection holds no variables": lambda: figures.gain_bars(EMPTY),
    "gain_bars: the comparison holds no": lambda: figures.gain_bars({}),
    "elimination_path: the selection has no steps": lambda: figures.elimination_path(
        example_data.prisoners()
    ),
    "redundancy_groups: no variable": lambda: figures.redundancy_groups(example_data.cart_pole()),
    "bayesian_network: the selection holds no": lambda: figures.bayesian_network(EMPTY),
    "lag_heat_map: no variable has a lag": lambda: figures.lag_heat_map(example_data.cart_pole()),
    "quarter_gains: wanted": lambda: figures.quarter_gains({}),
    "method_agreement: wanted": lambda: figures.method_agreement({}),
    "agent_agreement: wanted": lambda: figures.agent_agreement({}, ["x"]),
    "history_length_curve: no length": lambda: figures.history_length_curve(HistoryLength(0, 0, (), 0.0)),
    "learning_curves: wanted": lambda: figures.learning_curves({}),
    "learning_curves: 'full' wanted returns": lambda: figures.learning_curves({"full": ([0, 1], [[1.0]])}),
    "return_by_state_length: wanted": lambda: figures.return_by_state_length({"a": (3, [])}),
    "inference_times: no times": lambda: figures.inference_times([]),
    "condition_1_bars: no pairs": lambda: figures.condition_1_bars(replace(BARS, pairs=())),
    "estimator_health: no gains": lambda: figures.estimator_health({}),
    "figures.save: path must end": lambda: figures.save(figures.gain_bars(example_data.cart_pole()), "x.bmp"),
}


@pytest.mark.parametrize("message", ERRORS)
def test_what_cannot_be_drawn_is_said_plainly(message):
    with pytest.raises(BadValueError, match=message):
        ERRORS[message]()


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_the_action_of_a_network_lies_within_the_picture(count):
    cart_pole = example_data.cart_pole()
    rows = [replace(v, kept=v.name in cart_pole.kept[:count]) for v in cart_pole.verdicts]
    axes = figures.bayesian_network(replace(cart_pole, verdicts=tuple(rows))).axes[0]
    axes.figure.draw_without_rendering()
    ((x, y),) = axes.transData.transform(axes.lines[0].get_xydata())
    radius = axes.lines[0].get_markersize() / 2 * axes.figure.dpi / 72
    frame = axes.get_window_extent()
    assert frame.y0 <= y - radius and y + radius <= frame.y1


def test_the_boxes_of_a_network_stay_within_the_picture():
    names = ("Temperature C", "Temperature F", "Pressure outside", "Pressure inside")
    rows = [Verdict(n, 0.0, 0, 0, 0.01, 1.0, False, "redundant", given=("a",)) for n in names]
    needed = Verdict("a", 0.6, 0.5, 0.7, 0.01, 0.0, True, "needed")
    figure = figures.bayesian_network(replace(example_data.cart_pole(), verdicts=(needed, *rows)))
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert min(box.x0 for box in boxes) >= 0.03 * figure.bbox.width


@pytest.mark.parametrize("draw", [figures.gain_bars, figures.elimination_path, figures.frontier])
def test_another_thing_than_the_one_that_is_drawn(draw):
    with pytest.raises(TercError, match=f"{draw.__name__}: \\w+ must be .*, got Trajectories"):
        draw(four_redundant(50).data)
    with pytest.raises(TercError, match=f"{draw.__name__}: missing a required argument"):
        draw()


def test_the_axis_of_a_frontier_ends_at_zero_and_its_labels_do_not_touch_their_lines():
    front = example_data.front()
    figure = figures.frontier(front)
    axes = figure.axes[0]
    assert axes.get_ylim()[0] >= 0
    figure.canvas.draw()
    label = next(text for text in axes.texts if text.get_text() == "teacher")
    line = axes.transData.transform((0, front.teacher.mean))[1]
    assert label.get_window_extent().y0 - line >= 4 * figure.dpi / 72 - 0.5
    lowest = replace(front.points[-1], returns=replace(front.points[-1].returns, mean=-50.0))
    below = figures.frontier(replace(front, points=(*front.points[:-1], lowest))).axes[0]
    assert below.get_ylim()[0] < -50
    assert next(text for text in below.texts if text.get_text() == "+theta_dot").get_rotation() == 35
