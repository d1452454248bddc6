"""The record tables of opinion dynamics."""

from __future__ import annotations

from metricsengine.records import Column, TableSpec

TRANSITIONS = TableSpec(
    "Transitions",
    "One update of one agent: x(t) to h(x(t)), beside what the reference model makes of it (Algorithm 1).",
    (
        Column("agent", "text", "`llm`, `zero`, `random`, `rounded`; in free runs also `reference`", required=True),
        Column("variant", "text", "Prompt set; absent where no model is asked"),
        Column("repeat", "integer", "Which time the same prompts are asked, from 0", required=True),
        Column("run", "integer", "Run, from 0: its own network, initial opinions and personas", required=True),
        Column("step", "integer", "Step, from 0; x is the state before it", required=True),
        Column("node", "integer", "Agent, from 0", required=True),
        Column("x", "number", "Opinion before the step, on -1 to 1 (a fifth of the scale of `opinion`)", required=True),
        Column("reference", "number", "Opinion that the reference model gives next, on -1 to 1 as `x`", required=True),
        Column("opinion", "number", "Opinion the agent gives next, on -5 to 5 (5 times that of `x`); absent if unread"),
        Column("heard", "integer", "Number of agents heard; absent where a recorded file does not tell"),
        Column("isolated", "boolean", "Nobody was heard, and so nothing was asked", required=True),
        Column("cut", "integer", "Posts left out of the timeline because the context is too small"),
        Column("lost", "integer", "Posts of agents heard that the model did not write, and which the timeline lacks"),
        Column("outcome", "text", "What became of the requests: `answered`, or of the first that failed"),
        Column("reason", "text", "Why there is no opinion"),
        Column("persona", "text", "Who the agent is"),
        Column("handle", "text", "Under which name it posts"),
        Column("post", "text", "The agent's own post, which encodes x"),
        Column("reply", "text", "What it answered to its timeline"),
        Column("decoding", "text", "What the decoding questions were answered, one line each"),
    ),
)  # fmt: skip

CODEC = TableSpec(
    "CodecTrials",
    "One opinion, encoded as a post and decoded again (Definition 4).",
    (
        Column("variant", "text", "Prompt set", required=True),
        Column("repeat", "integer", "Which time the same prompts are asked, from 0", required=True),
        Column("encoding", "text", "`discrete` or `scalar`", required=True),
        Column("opinion", "number", "The opinion, on -5 to 5", required=True),
        Column("persona", "text", "Who posts"),
        Column("replicate", "integer", "Index of the post of this opinion, from 0", required=True),
        Column("post", "text", "The post"),
        Column("decoding", "text", "What the decoding questions were answered, one line each"),
        Column("decoded", "number", "The opinion that was read, on -5 to 5; absent where it cannot be read"),
        Column(
            "outcome", "text", "What became of the requests: `answered`, or of the first that failed", required=True
        ),
        Column("reason", "text", "Why nothing was read"),
    ),
)

FRAMING = TableSpec(
    "FramingTrials",
    "One reader's opinion of one author's post (Fig. 4e).",
    (
        Column("variant", "text", "Prompt set", required=True),
        Column("repeat", "integer", "Which time the same prompts are asked, from 0", required=True),
        Column("author", "text", "Framing of the author's stance, such as `pro free market`", required=True),
        Column("reader", "text", "Framing of the reader's stance", required=True),
        Column("replicate", "integer", "Index of the trial, from 0: one author and one reader", required=True),
        Column("persona", "text", "Who reads"),
        Column("author_persona", "text", "Who posts"),
        Column("post", "text", "The author's post"),
        Column("reply", "text", "What the reader answered"),
        Column("opinion", "number", "The reader's opinion of the post, on -2 to 2; absent where it cannot be read"),
        Column(
            "outcome", "text", "What became of the requests: `answered`, or of the first that failed", required=True
        ),
        Column("reason", "text", "Why there is no opinion"),
    ),
)
