"""What this part of the plugin registers."""

from __future__ import annotations

from metricsengine.sets import SetSpec
from metricsengine_dynamics.prompting.chosen import PROMPT_SETS
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.personas import AgentPersonaSet

SETS: tuple[SetSpec, ...] = (
    PROMPT_SETS,
    SetSpec("debate", Debate, "what agents have opinions on: two opposed poles"),
    SetSpec("agent_persona", AgentPersonaSet, "who agents are, apart from their opinions"),
)
