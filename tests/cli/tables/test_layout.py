"""Tables as text: what is folded, and when."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planecast.cli.tables.layout import TextColumn, table_lines


def column(header: str, *cells: str, number: bool = True) -> TextColumn:
    return TextColumn(header, cells, number)


NAMES = column("scenario", "flows=256", "flows=1024", number=False)
RATE = column("Mpps", "22.20 [18.65, 27.42]", "21.99 [18.49, 27.12]")


def test_what_fits_is_not_folded() -> None:
    assert table_lines([NAMES, RATE], 80) == [
        " scenario                    Mpps",
        " ────────────────────────────────",
        " flows=256   22.20 [18.65, 27.42]",
        " flows=1024  21.99 [18.49, 27.12]",
    ]


def test_columns_without_an_entry_are_dropped() -> None:
    assert table_lines([NAMES, column("loss", "", "–"), RATE], 80) == table_lines([NAMES, RATE], 80)


def test_an_interval_goes_under_its_value_and_no_number_is_broken() -> None:
    lines = table_lines([NAMES, RATE, column("cycles/packet", "1,234", "1,235")], 40)
    assert lines == [
        "                             cycles/",
        " scenario              Mpps   packet",
        " ───────────────────────────────────",
        " flows=256            22.20    1,234",
        "             [18.65, 27.42]",
        " flows=1024           21.99    1,235",
        "             [18.49, 27.12]",
    ]


def test_what_still_does_not_fit_is_another_part_with_its_own_rows() -> None:
    ipc = column("IPC", "2.250 [2.100, 2.400]", "")
    assert table_lines([NAMES, RATE, ipc], 40)[-4:] == [
        "",
        " scenario                    IPC",
        " ───────────────────────────────",
        " flows=256  2.250 [2.100, 2.400]",
    ]


def test_each_part_names_its_rows() -> None:
    """What is in the first column says nothing of two rows: the second one goes with it."""
    columns = [
        column("scenario", "small", "small", number=False),
        column("metric", "pps", "cycles", number=False),
        column("A", "17,737,874", "146.6"),
        column("B", "17,737,875", "146.7"),
    ]
    assert table_lines(columns, 34)[-4:] == [
        " scenario  metric           B",
        " ────────────────────────────",
        " small     pps     17,737,875",
        " small     cycles       146.7",
    ]


TEXTS = st.text(st.sampled_from("ab 1"), max_size=60)


@given(st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), min_size=1, max_size=12))
def test_nothing_is_longer_than_the_width_or_a_word(
    made: list[tuple[str, str, bool]],
) -> None:
    columns = [TextColumn(header, [cell], number) for header, cell, number in made]
    longest = max(
        len(word)
        for h, cell, n in made
        for word in [*h.split(), cell if n else "", *cell.split(), ""]
    )
    lines = table_lines(columns, 80)
    assert all(len(line) <= max(80, 2 * longest + 4) for line in lines)
    words = {word for one in columns if one.cells[0].strip() for word in one.cells[0].split()}
    assert words <= set(" ".join(lines).split())
