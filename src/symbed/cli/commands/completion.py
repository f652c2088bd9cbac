"""``symbed completion SHELL``: a script that completes commands and flags in a shell.

It is made from the parser, so that it knows every flag.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from symbed.cli.command_table import command_parsers, option_flags
from symbed.cli.output import print_document

SHELLS = ("bash", "zsh", "fish")

BASH = """\
_symbed() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
        return
    fi
    case "$word" in -*) ;; *) COMPREPLY=($(compgen -f -- "$word")); return ;; esac
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
}}
complete -o filenames -F _symbed symbed
"""
ZSH = """\
#compdef symbed
_symbed() {{
    if (( CURRENT == 2 )); then
        compadd -- {commands}
        return
    fi
    case "${{words[CURRENT]}}" in
        -*) ;;
        *) _files; return ;;
    esac
    case "${{words[2]}}" in
{cases}
    esac
}}
if (( $+functions[compdef] )); then compdef _symbed symbed; fi
"""


def configure_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", choices=SHELLS, help='bash: eval "$(symbed completion bash)" in ~/.bashrc'
    )


def run_completion(arguments: argparse.Namespace) -> None:
    """A script that completes commands and flags in a shell."""
    script = completion_script(arguments.shell, command_parsers())
    if not print_document(arguments, {"shell": arguments.shell, "script": script}):
        sys.stdout.write(script)


def completion_script(shell: str, parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    """The script that a shell reads to complete ``symbed``.

    Parameters
    ----------
    shell : {"bash", "zsh", "fish"}
        Whose.
    parsers : mapping of str to ArgumentParser
        The parser of each command.
    """
    if shell == "fish":
        return _fish(parsers)
    names = " ".join(parsers)
    if shell == "zsh":
        cases = [f"        {name}) compadd -- {_flags(p)} ;;" for name, p in parsers.items()]
        return ZSH.format(commands=names, cases="\n".join(cases))
    cases = [
        f'        {name}) COMPREPLY=($(compgen -W "{_flags(p)}" -- "$word")) ;;'
        for name, p in parsers.items()
    ]
    return BASH.format(commands=names, cases="\n".join(cases))


def _flags(parser: argparse.ArgumentParser) -> str:
    return " ".join(option_flags(parser))


def _fish(parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    lines = []
    for name, parser in parsers.items():
        about = _quoted(parser.description or "")
        lines.append(f"complete -c symbed -n __fish_use_subcommand -f -a {name} -d {about}")
        seen = _quoted(f"__fish_seen_subcommand_from {name}")
        for action in parser._actions:
            kinds = [
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in action.option_strings
            ]
            if kinds:
                about = _quoted((action.help or "").split(";")[0].replace("%%", "%"))
                value = "" if action.nargs == 0 else " -r"
                lines.append(f"complete -c symbed -n {seen} {' '.join(kinds)}{value} -d {about}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
