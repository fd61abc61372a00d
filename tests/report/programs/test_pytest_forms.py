"""Forms of result that only pytest has."""
import pytest


@pytest.mark.parametrize("number, half", [(2, 1), (3, 1.5), (4, 2)])
def test_halves(number, half):
    assert number // 2 == half


@pytest.mark.parametrize("text", ["a b", "x - y", "PASSED [ 50%]", "a[b]::c"])
def test_texts(text):
    assert text != "x - y"


@pytest.fixture
def broken():
    raise OSError("no fixture")


@pytest.fixture
def breaks_later():
    yield 1
    raise OSError("cannot tidy up")


def test_with_broken_fixture(broken):
    pass


def test_with_late_error(breaks_later):
    assert breaks_later == 1


@pytest.mark.skip(reason="not here")
def test_skipped():
    pass


@pytest.mark.xfail(reason="known")
def test_known():
    assert 1 == 2


@pytest.mark.xfail(reason="known", strict=True)
def test_strict():
    pass


@pytest.mark.xfail
def test_lenient():
    pass


class TestGroup:
    def test_inside(self):
        assert {"a": 1, "b": [1, 2, 3]} == {"a": 1, "b": [1, 2, 4]}
