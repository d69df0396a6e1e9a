"""Tables for a person, in plain text."""

from pi_notebook.ui.tables import Report


def test_words_from_anywhere_stay_in_their_cell_and_drive_no_terminal():
    named = Report(
        lines=("called **a\x1b]52;c;eA==\x07b**",),
        header=("session", "name"),
        rows=(("`1`", "two\nlines \x9b2J"), ("2", "  apart")),
    )
    assert named.plain.split("\n") == [
        "called a\\x1b]52;c;eA==\\x07b",
        "session  name",
        "1        two lines \\x9b2J",
        "2          apart",
    ]


def test_words_from_anywhere_load_nothing_and_are_no_markup_where_markdown_is_rendered():
    words = "<img src=x onerror=a()> ![p](http://far.away/p.png) [l](javascript:a()) | <script>a()</script>"
    report = Report(lines=(f"called **{words}**",), header=("name",), rows=((words,),), footer=(words,))
    for wrong in ("<img", "<script", "![", "](javascript"):
        assert wrong not in report.markdown
    assert report.markdown.count("! [p](http://far.away/p.png) [l](#javascript:a())") == 3
    assert report.markdown.count("\\|") == 1
