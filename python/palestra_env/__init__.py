"""Clients for Palestra's text environments, served over OpenEnv by `npm run serve`."""

from .client import Client, Description, PalestraError, Result

__all__ = ["Client", "Description", "PalestraError", "Result"]
