"""Names of chapters and what a run leaves behind."""

import json

import nbformat
import pytest

from marginloss._validation import UnknownName
from marginloss.companion.book.layout import Chapter, chapters, find_chapters, pages
from marginloss.companion.results import Result, glued_values, write_atomically


def test_pages_are_in_reading_order_and_exist():
    names = [path.stem for path in pages()]
    assert names[0] == "index" and len(set(names)) == len(names)
    assert [path for path in pages() if not path.is_file()] == []


def test_numbered_chapters_are_listed_in_the_order_of_their_numbers():
    numbered = [chapter.name.partition("_")[0] for chapter in chapters() if chapter.name[0].isdigit()]
    assert numbered == sorted(numbered)


@pytest.mark.parametrize("name", ["alpha_loss", "11_alpha_loss", "chapters/11_alpha_loss.md", "11_alpha_loss.md"])
def test_chapters_are_found_by_any_of_their_names(name):
    assert [chapter.name for chapter in find_chapters([name])] == ["11_alpha_loss"]


def test_no_name_means_all_and_unknown_names_raise():
    assert find_chapters() == chapters()
    with pytest.raises(UnknownName, match="alpha_loss"):
        find_chapters(["alpha_los"])


def test_a_page_without_a_head_is_no_notebook(tmp_path):
    path = tmp_path / "x.md"
    path.write_text("# A page\n\n---\nkernelspec: no\n---\n")
    assert Chapter(path).head == {}


def notebook(**glued):
    outputs = [
        nbformat.v4.new_output(
            "display_data", {f"application/papermill.record/{mime}": text}, metadata={"scrapbook": {"name": name}}
        )
        for name, (mime, text) in glued.items()
    ]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)])


def test_glued_values_are_read_back_at_full_precision():
    values = {"third": 1 / 3, "whole": 4, "yes": True, "many": [1, 2.5], "word": "a", "top": float("inf")}
    glued = {name: ("text/plain", repr(value)) for name, value in values.items()}
    assert glued_values("c", notebook(**glued)) == values


def test_figures_are_no_values_and_numpy_scalars_are_refused():
    assert glued_values("c", notebook(fig=("image/png", "iVBOR"))) == {}
    with pytest.raises(ValueError, match=r"'gain'.*np.float64\(0.1\)"):
        glued_values("c", notebook(gain=("text/plain", "np.float64(0.1)")))


def test_results_survive_a_round_trip_and_damage_is_no_result(tmp_path):
    result = Result("c", "quick", "d" * 32, 1.5, {"x": 0.1})
    path = tmp_path / "c.json"
    result.write(path)
    assert Result.read(path) == result
    path.write_text(path.read_text()[:-10])
    assert Result.read(path) is None
    path.write_text(json.dumps({"chapter": "c"}))
    assert Result.read(path) is None
    assert Result.read(tmp_path / "none.json") is None


def test_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    write_atomically(path, "old")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text() == "old" and [file.name for file in tmp_path.iterdir()] == ["x.json"]
