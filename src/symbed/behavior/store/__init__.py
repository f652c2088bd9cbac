"""The atlas on disk: named arrays in a folder that is whole or not there."""
