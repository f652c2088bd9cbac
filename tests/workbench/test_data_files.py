"""Users' data: the same table from every kind of source, and one clear error for each bad one."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from symbed.errors import DataError, MissingExtra, RangeError, ShapeError
from symbed.workbench import read_data

TABLE = np.array([[1.0, 4.0, 10.0], [2.0, 5.0, 20.0], [3.0, 6.5, 30.0]])
TEXT = "x,y,z\n1,4,10\n2,5,20\n3,6.5,30\n"


class Frame:
    """What pandas and polars frames have in common."""

    def __init__(self, columns: dict[str, list]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> Frame:
        return Frame({name: self._columns[name]})

    def to_numpy(self) -> np.ndarray:
        return np.array(next(iter(self._columns.values())))


def _csv(folder: Path) -> Path:
    (folder / "data.csv").write_text(TEXT)
    return folder / "data.csv"


def _semicolons(folder: Path) -> Path:
    (folder / "data.csv").write_text("\ufeff" + TEXT.replace(",", ";"), encoding="utf-8")
    return folder / "data.csv"


def _tabs(folder: Path) -> Path:
    (folder / "data.tsv").write_text(TEXT.replace(",", "\t").replace("\n", "\r\n"))
    return folder / "data.tsv"


def _blanks(folder: Path) -> Path:
    (folder / "data.txt").write_text(TEXT.replace(",", "  "))
    return folder / "data.txt"


def _quoted(folder: Path) -> Path:
    (folder / "data.csv").write_text('"x","y","z"\n"1",4,10\n\n2,5,20\n3,6.5,"30"\n')
    return folder / "data.csv"


def _npz(folder: Path) -> Path:
    np.savez(folder / "data.npz", x=TABLE[:, 0], y=TABLE[:, 1], z=TABLE[:, 2])
    return folder / "data.npz"


def _parquet(folder: Path) -> Path:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(_arrow(folder), folder / "data.parquet")
    return folder / "data.parquet"


def _structured(folder: Path) -> np.ndarray:
    kinds = [(name, float) for name in "xyz"]
    return np.array([tuple(row) for row in TABLE], dtype=kinds)


def _arrow(folder: Path) -> object:
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(dict(zip("xyz", TABLE.T, strict=True)))


def _pandas(folder: Path) -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(TABLE, columns=list("xyz"))


def _frame(folder: Path) -> Frame:
    return Frame({name: column.tolist() for name, column in zip("xyz", TABLE.T, strict=True)})


def _mapping(folder: Path) -> dict[str, object]:
    return {"x": [1, 2, 3], "y": TABLE[:, 1], "z": (10, 20, 30)}


SOURCES = [
    _csv, _semicolons, _tabs, _blanks, _quoted, _npz, _parquet, _structured, _arrow, _pandas,
    _frame, _mapping,
]  # fmt: skip


@pytest.mark.parametrize("make", SOURCES, ids=lambda make: make.__name__.strip("_"))
@pytest.mark.parametrize("target", ["z", -1, 2])
def test_every_source_gives_the_same_table(make, target, tmp_path: Path) -> None:
    X, y, names = read_data(make(tmp_path), target)
    assert X.tolist() == TABLE[:, :2].tolist()
    assert y is not None
    assert y.tolist() == [10, 20, 30]
    assert names == ("x", "y")
    assert X.flags.c_contiguous
    assert not X.flags.writeable


def test_without_a_target_all_columns_are_inputs(tmp_path: Path) -> None:
    X, y, names = read_data(_csv(tmp_path))
    assert X.tolist() == TABLE.tolist()
    assert y is None
    assert names == ("x", "y", "z")


@pytest.mark.parametrize("make", [lambda folder: TABLE, lambda folder: TABLE.tolist(), None])
def test_columns_of_arrays_are_numbered_or_named(make, tmp_path: Path) -> None:
    np.save(tmp_path / "data.npy", TABLE)
    source = make(tmp_path) if make else tmp_path / "data.npy"
    assert read_data(source).names == ("X_0", "X_1", "X_2")
    assert read_data(source, "b", names=["a", "b", "c"]).names == ("a", "c")
    assert read_data(source, 1).y.tolist() == TABLE[:, 1].tolist()


def test_a_table_and_a_column_can_share_an_npz_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", X=TABLE[:, :2], y=TABLE[:, 2])
    data = read_data(tmp_path / "data.npz", "y")
    assert data.names == ("X_0", "X_1")
    assert data.X.tolist() == TABLE[:, :2].tolist()


def test_one_list_is_one_column() -> None:
    assert read_data([1.0, 2.0]).X.tolist() == [[1.0], [2.0]]


def test_a_file_without_header_is_read_with_given_names(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1.5 2\n3 4\n")
    data = read_data(tmp_path / "data.txt", -1, names=["x", "y"])
    assert (data.X.tolist(), data.y.tolist()) == ([[1.5], [3.0]], [2.0, 4.0])


def test_names_for_a_file_without_rows_do_not_help(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x\n")
    with pytest.raises(DataError, match="has 0 rows"):
        read_data(tmp_path / "data.csv", names=["x"])


def test_a_large_file_keeps_every_digit(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).normal(size=(2000, 3)) * 10.0 ** np.arange(-150, 151, 150)
    lines = [",".join(map(repr, row)) for row in numbers.tolist()]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c", *lines]))
    assert (numbers == read_data(tmp_path / "data.csv").X).all()


class TestMissing:
    @pytest.fixture(params=["csv", "frame"])
    def source(self, request, tmp_path: Path) -> object:
        if request.param == "frame":
            return Frame({"x": [1, None, 3], "y": [1.0, 2.0, float("nan")]})
        (tmp_path / "data.csv").write_text("x,y\n1,1\n,2\n3,nan\n")
        return tmp_path / "data.csv"

    def test_is_an_error_that_names_the_cell(self, source) -> None:
        with pytest.raises(DataError, match=r"nan in column x, row 2 of its data; missing='drop'"):
            read_data(source)

    def test_can_be_dropped(self, source) -> None:
        assert read_data(source, missing="drop").X.tolist() == [[1.0, 1.0]]

    def test_can_be_kept(self, source) -> None:
        assert np.isnan(read_data(source, missing="keep").X).sum() == 2

    def test_dropped_rows_count_against_the_least_number(self, source) -> None:
        with pytest.raises(
            DataError, match=r"has 1 rows \(2 were dropped\), at least 2 are needed"
        ):
            read_data(source, missing="drop", min_rows=2)

    def test_infinity_is_no_number_to_work_with(self) -> None:
        with pytest.raises(DataError, match="inf in column X_0, row 2"):
            read_data([1.0, np.inf])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("data.csv", "x,y\n1,2\n3,four\n", "data.csv needs numbers, got 'four' in row 3, column y"),
        ("data.csv", "x,y\n1,2\n\n3\n", "2 columns in its header and 1 in row 4"),
        ("data.csv", "", "needs a header"),
        ("data.csv", "x,y\n", "needs a header"),
        ("data.csv", "1,2\n3,4\n", "needs a header"),
        ("data.csv", "x,x\n1,2\n", "a name of its own for each column"),
        ("data.csv", "x,\n1,2\n", "a name of its own for each column"),
        ("data.csv", b"x\n\xff\xfe\n", "no UTF-8 text"),
        ("data.csv", "x,y\n1,\0\n", "needs numbers, got '.x00' in row 2|is no table"),
        ("data.csv", "x,y\n1," + "a" * 200_000, "is no table: field larger"),
        ("data.npz", b"PK\x03\x04 and nothing more", "data.npz holds no plain arrays"),
        ("data.xls", "x\n1\n", "data.xls: a data file ends in one of .csv"),
        ("data.npy", "x\n1\n", "data.npy holds no plain arrays"),
        ("data.npz", "x\n1\n", "data.npz holds no plain arrays"),
        ("data.parquet", "x\n1\n", "data.parquet is no Parquet file"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(
    name: str, content: str | bytes, message: str, tmp_path: Path
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message):
        read_data(path)


@pytest.mark.parametrize(
    ("act", "kind", "message"),
    [
        (
            lambda: read_data(TABLE, "w"),
            DataError,
            "no column 'w' .* its columns are X_0, X_1, X_2",
        ),
        (lambda: read_data(TABLE, 3), DataError, "no column 3"),
        (lambda: read_data(TABLE[:, :1], 0), DataError, "no column beside the target 'X_0'"),
        (lambda: read_data(TABLE, names=["a"]), DataError, "3 columns, got 1 names"),
        (lambda: read_data(TABLE, names=["a", "a", "b"]), DataError, "two columns .* 'a'"),
        (lambda: read_data(np.empty((0, 2))), DataError, "has 0 rows, at least 1"),
        (lambda: read_data({}), DataError, "has 0 rows"),
        (lambda: read_data(TABLE, min_rows=4), DataError, "has 3 rows, at least 4 are needed"),
        (lambda: read_data(np.zeros((2, 2, 2))), DataError, r"got shape \(2, 2, 2\)"),
        (lambda: read_data({"a": [1], "b": [1, 2]}), DataError, "different lengths: a 1, b 2"),
        (lambda: read_data({"a": [10**400]}), DataError, "got 1000"),
        (lambda: read_data({"a": [[1]]}), DataError, "column a is no list of numbers"),
        (lambda: read_data(Frame({"a": ["1", "b"]})), DataError, "got 'b' in column a, row 2"),
        (lambda: read_data([[1], [1, 2]]), DataError, "no table"),
        (lambda: read_data(TABLE, missing="skip"), RangeError, "missing must be"),  # type: ignore[arg-type]
        (lambda: read_data(object()), ShapeError, "got object"),
    ],
)
def test_data_that_cannot_be_used_are_told(act, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        act()


def test_a_missing_file_is_the_systems_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_data(tmp_path / "none.csv")


def test_arrays_of_python_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "data.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(DataError, match="no plain arrays"):
        read_data(tmp_path / "data.npy")


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)  # Python's own way to say: not installed
    with pytest.raises(MissingExtra, match=r"symbed\[table\]"):
        read_data(tmp_path / "data.parquet")
