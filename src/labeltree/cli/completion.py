"""`labeltree completion`: completion of commands and options for a shell, from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SUMMARY = "print a script that completes commands and options in your shell"
EXAMPLES = """\
  labeltree completion bash > ~/.local/share/bash-completion/completions/labeltree
  labeltree completion zsh > ~/.zfunc/_labeltree
  labeltree completion fish > ~/.config/fish/completions/labeltree.fish
  source <(labeltree completion bash)
"""


@dataclass(frozen=True)
class Option:
    """An option of a command."""

    flags: tuple[str, ...]
    choices: tuple[str, ...]  # empty if any value is allowed
    takes_value: bool
    summary: str


@dataclass(frozen=True)
class Command:
    """A command, its options, and the choices of its first positional argument."""

    name: str
    summary: str
    options: tuple[Option, ...]
    choices: tuple[str, ...]

    @property
    def flags(self) -> list[str]:
        """All spellings of all options."""
        return [flag for option in self.options for flag in option.flags]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("shell", choices=_WRITERS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    # The parser is made from all commands, including this one.
    from labeltree.cli import make_parser

    print(_WRITERS[arguments.shell](list(commands_of(make_parser()))))
    return 0


def commands_of(parser: argparse.ArgumentParser) -> Iterator[Command]:
    """Yield the commands of a parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                yield Command(
                    name,
                    helps[name],
                    tuple(_option(one) for one in command._actions if one.option_strings),
                    next((_choices(a) for a in command._actions if not a.option_strings), ()),
                )


def _option(action: argparse.Action) -> Option:
    summary = " ".join((action.help or "").partition(" (default")[0].split())
    takes_value = action.nargs != 0
    return Option(tuple(action.option_strings), _choices(action), takes_value, summary)


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


def _bash(commands: list[Command]) -> str:
    lines = [
        "_labeltree() {",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        '    local command="${COMP_WORDS[1]}" words=""',
        "    COMPREPLY=()",
        "    if [[ $COMP_CWORD -eq 1 ]]; then",
        f'        words="{_names(commands)} --help --version"',
        "    else",
        '        case "$command $previous" in',
        *(f'            "{key}") words="{values}" ;;' for key, values in _values(commands)),
        "            *)",
        "                [[ $current == -* ]] || return 0  # complete file names",
        '                case "$command" in',
        *(f'                    {one.name}) words="{" ".join(one.flags)}" ;;' for one in commands),
        "                esac ;;",
        "        esac",
        "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o default -F _labeltree labeltree",
    ]
    return "\n".join(lines)


def _zsh(commands: list[Command]) -> str:
    lines = [
        "#compdef labeltree",
        "_labeltree() {",
        "    if (( CURRENT == 2 )); then",
        f"        compadd -- {_names(commands)} --help --version",
        "        return",
        "    fi",
        '    case "$words[2] $words[CURRENT-1]" in',
        *(f'        "{key}") compadd -- {values}; return ;;' for key, values in _values(commands)),
        "    esac",
        "    if [[ $words[CURRENT] == -* ]]; then",
        '        case "$words[2]" in',
        *(f"            {one.name}) compadd -- {' '.join(one.flags)} ;;" for one in commands),
        "        esac",
        "    else",
        "        _files",
        "    fi",
        "}",
        "compdef _labeltree labeltree",
    ]
    return "\n".join(lines)


def _fish(commands: list[Command]) -> str:
    lines = []
    for command in commands:
        first = f"complete -c labeltree -n __fish_use_subcommand -f -a {command.name}"
        lines.append(f"{first} -d {_quoted(command.summary)}")
        inside = f"complete -c labeltree -n '__fish_seen_subcommand_from {command.name}'"
        if command.choices:
            lines.append(f"{inside} -f -a {_quoted(' '.join(command.choices))}")
        for option in command.options:
            names = (
                f"-{'l' if flag[:2] == '--' else 's'} {flag.lstrip('-')}" for flag in option.flags
            )
            values = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else ""
            values = values or " -r" * option.takes_value
            lines.append(f"{inside} {' '.join(names)}{values} -d {_quoted(option.summary)}")
    return "\n".join(lines)


def _names(commands: list[Command]) -> str:
    return " ".join(command.name for command in commands)


def _values(commands: list[Command]) -> Iterator[tuple[str, str]]:
    """Yield "command option" and the values of the option, for options with known values."""
    for command in commands:
        if command.choices:
            yield f"{command.name} {command.name}", " ".join(command.choices)
        for option in command.options:
            for flag in option.flags if option.choices else ():
                yield f"{command.name} {flag}", " ".join(option.choices)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_WRITERS: dict[str, Callable[[list[Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
