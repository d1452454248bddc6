from metricsengine_mlflow import limits


def test_what_fits_stays_as_it_is() -> None:
    assert limits.fit({"study.n": "10"}, 500, "parameters") == limits.Fitted({"study.n": "10"})


def test_a_long_text_is_named_by_its_digest_and_kept_whole() -> None:
    persona = "A person, described at length. " * 400
    fitted = limits.fit({"persona": persona}, 500, "parameters")
    assert fitted.texts == {"parameters/persona.txt": persona}
    assert len(fitted.values["persona"]) <= 500
    assert f"{len(persona):,} characters" in fitted.values["persona"]
    assert "parameters/persona.txt" in fitted.values["persona"]
    other = limits.fit({"persona": persona + "!"}, 500, "parameters").values["persona"]
    assert other != fitted.values["persona"]


def test_files_of_odd_keys_do_not_fall_together() -> None:
    keys = ["a/b", "a_b", "a:b", "学" * 200]
    texts = limits.fit({key: key + "x" * 600 for key in keys}, 500, "tags").texts
    assert sorted(texts.values()) == sorted(key + "x" * 600 for key in keys)
    assert all(path.isascii() and path.count("/") == 1 and len(path) < 110 for path in texts)


def test_a_note_is_cut_between_lines_and_says_so() -> None:
    note = "\n\n".join(f"Paragraph {i}." for i in range(1000))
    cut = limits.cut_markdown(note, "card.md")
    body, ending = cut.rsplit("\n\n", 1)
    assert len(cut) <= limits.TAG
    assert note.startswith(body + "\n\n")
    assert "card.md" in ending
    assert limits.cut_markdown("short", "card.md") == "short"


def test_one_endless_line_is_cut_too() -> None:
    assert len(limits.cut_markdown("x" * 9000, "card.md")) <= limits.TAG


def test_chunks_hold_everything_once() -> None:
    assert [list(c) for c in limits.chunks(range(5), 2)] == [[0, 1], [2, 3], [4]]
