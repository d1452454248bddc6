"""Timelines: format, and cutting by whole posts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from metricsengine_dynamics.prompting.timeline import Post, Timeline, timeline

POSTS = [Post("@rowan", "One."), Post("@jakob", "Two,\n\nand more.\r\n"), Post("@abril", "{text}")]


def test_posts_stand_in_their_order_with_handles(base) -> None:
    assert timeline(POSTS, None, base) == Timeline("@rowan\tOne.\n@jakob\tTwo, and more.\n@abril\t{text}")


def test_without_line_breaks_posts_stay_apart(prompts) -> None:
    assert timeline(POSTS[:2], None, prompts["newline"]).text == "@rowan\tOne. @jakob\tTwo, and more."


def test_nobody_posted(base) -> None:
    assert timeline([], None, base) == timeline([], 0, base) == Timeline("")


def test_lengths_are_those_that_are_known_or_else_estimated() -> None:
    around = Post("@rowan", "", 0).length
    assert around >= 3
    assert Post("@rowan", "a" * 300, 50).length == around + 50
    assert Post("@rowan", "a" * 300).length == around + 100
    assert Post("@rowan", "計" * 300).length == around + 300


def test_the_first_posts_stay_as_long_as_they_fit(base) -> None:
    posts = [Post("@rowan", f"post{i}", 20) for i in range(4)]
    size = posts[0].length
    assert timeline(posts, 4 * size, base).cut == 0
    shown = timeline(posts, 3 * size - 1, base)
    assert shown.cut == 2
    assert shown.text.split("\n") == ["@rowan\tpost0", "@rowan\tpost1"]


def test_a_later_post_is_not_preferred_for_being_short(base) -> None:
    posts = [Post("@rowan", "a", 20), Post("@jakob", "b", 60), Post("@abril", "c", 1)]
    shown = timeline(posts, posts[1].length + 1, base)
    assert (shown.text, shown.cut) == ("@rowan\ta", 2)


def test_a_post_that_is_too_long_by_itself_is_left_out_alone(base) -> None:
    posts = [Post("@rowan", "a", 900), Post("@jakob", "b", 20), Post("@abril", "c", 20)]
    shown = timeline(posts, 100, base)
    assert (shown.text, shown.cut) == ("@jakob\tb\n@abril\tc", 1)


def test_no_room_at_all(base) -> None:
    for room in (0, -5):
        assert timeline(POSTS, room, base) == Timeline("", 3)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=40), max_size=8), room=st.integers(0, 120))
def test_what_is_shown_fits_and_the_rest_is_counted(base, texts, room) -> None:
    posts = [Post(f"@a{i}", text) for i, text in enumerate(texts)]
    shown = timeline(posts, room, base)
    lines = shown.text.split("\n") if shown.text else []
    kept = [int(line.split("\t")[0][2:]) for line in lines]
    assert kept == sorted(kept)
    assert len(kept) + shown.cut == len(posts)
    assert sum(posts[i].length for i in kept) <= room
