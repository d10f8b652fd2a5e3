"""Clients for the text environments that `npm run serve` of Palestra serves over OpenEnv."""

from .client import Client, Description, PalestraError, Result

__all__ = ["Client", "Description", "PalestraError", "Result"]
