"""``python -m planecast``: the command line, where its script is on no path."""

from planecast.cli.app import main

if __name__ == "__main__":
    main()
