"""The record tables of what was paraphrased."""

from __future__ import annotations

from metricsengine.records import Column, TableSpec

PARAPHRASES = TableSpec(
    "Paraphrases",
    "One reply to the question how a text of a set would be said in other words.",
    (
        Column("group", "text", "Group of the set", required=True),
        Column("set", "text", "The set", required=True),
        Column("text", "integer", "Which of its texts, from 1", required=True),
        Column("original", "text", "The text", required=True),
        Column("replicate", "integer", "Index of the sample of the prompt, from 0", required=True),
        Column("paraphrase", "text", "What the model wrote, as far as it was read"),
        Column("outcome", "text", "What became of the request, and of reading its reply", required=True),
        Column("rule", "text", "Which rule rejected what could be read; absent where none did"),
        Column("reason", "text", "Why the reply was not taken; absent where it was"),
        Column("accepted", "boolean", "The reply was taken", required=True),
        Column("number", "integer", "Which paraphrase of the text it became, from 1"),
    ),
)

PARAPHRASED_SETS = TableSpec(
    "ParaphrasedSets",
    "One new set in which at least one text is said in other words.",
    (
        Column("group", "text", "Its group", required=True),
        Column("name", "text", "Its name", required=True),
        Column("of", "text", "The set that it is made from", required=True),
        Column("texts", "integer", "How many texts it has", required=True),
        Column("reworded", "integer", "How many of them are said in other words", required=True),
        Column("content", "text", "The set as TOML", required=True),
    ),
)
