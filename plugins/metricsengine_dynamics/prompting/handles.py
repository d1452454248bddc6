"""Names for the handles of agents."""

from __future__ import annotations

NAMES = tuple(
    """
    abena adriel ahmet aiko aisling akira alba aleksy alina amara amir anahi anders anika anouk aria armando arwen asha
    astrid atlas ayla bastian beatriz benoit bilal bjorn bode bram brigid bruno callum camila caspian celeste chidi
    chiara cleo cosmin dagny dalia damir daria dashiell delphine desta dimitri djamila edda efua eilidh einar elif elio
    elowen emeka emre enzo esme esther evander fabian farah felix fenna fergus fiona florian frida gael gemma gideon
    giulia greta gunnar hamza hana haruki hazel hedda helio hilde hugo ibrahim idris ilaria imani ines ingrid iris isla
    ismael ivo jada jasper jelena jiho joaquin jonas jorge juniper kaito kamala karim katya keanu kenji kofi lakshmi
    lars layla leif lena leonor liora ludo luka mabel mads maeve magnus malik mara marisol mateo mei mika milan mina
    mirela moses nadia naoki nasrin nell niamh niko nils nima noor nuria oisin olga omar oona orson oscar otis paloma
    pavel pedro petra phoebe pilar priya quentin quinn rafael rania rashid ravi renata rhys rosa rowan rufus saanvi
    sabine samir saskia selma seren silas simone sindre soraya stellan suki sven tala tariq teodor tessa thandi theo
    tomas tove uma umar ursula valentin vera viggo vikram violet walt wanda willa ximena xiomara yara yosef yuki yusuf
    zadie zahra zane zeno zofia zuri
    """.split()  # noqa: SIM905 - a column of 200 quoted names would be harder to read
)
"""First names from many places, in small letters."""
