"""`rationalerm view`: the report page on loopback, up to date while a run goes on."""

from __future__ import annotations

import argparse

from rationalerm.commands.common import Subparsers, add_command

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "view",
        "The report page, served to this machine alone; it follows a run that is going on.",
        "rationalerm view runs/first",
        run,
    )
    parser.add_argument("dirs", nargs="+", metavar="DIR", help="run directories, as for report")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: a free one")
    parser.add_argument("--open", action="store_true", help="show it in the browser")


def run(args: argparse.Namespace) -> int:
    """Serves until Ctrl-C."""
    import webbrowser

    from rationalerm.run.reporting.viewing import Server, Viewer

    with Server(Viewer(args.dirs), args.port) as server:
        print(f"{server.url}  (Ctrl-C ends it)", flush=True)
        if args.open:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
