"""Client of the Switchboard messaging API: WhatsApp messages that are never sent twice."""

from . import api_errors as _api_errors
from . import requests as _requests
from . import resources as _resources
from .api_errors import *  # noqa: F403
from .async_client import AsyncSwitchboard
from .client import POLL_AT_SECONDS, Switchboard
from .connections import Request, Response
from .errors import (
    ApiError,
    NoResponseError,
    ResponseInfo,
    SwitchboardError,
    WebhookVerificationError,
)
from .http_calls import AttemptInfo, response_of
from .requests import *  # noqa: F403
from .resources import *  # noqa: F403
from .version import __version__
from .webhooks import WebhookHeaders, verify_webhook

__all__ = [
    "ApiError",
    "AsyncSwitchboard",
    "AttemptInfo",
    "NoResponseError",
    "POLL_AT_SECONDS",
    "Request",
    "Response",
    "ResponseInfo",
    "Switchboard",
    "SwitchboardError",
    "WebhookHeaders",
    "WebhookVerificationError",
    "__version__",
    "response_of",
    "verify_webhook",
]
__all__ += _api_errors.__all__
__all__ += _requests.__all__
__all__ += _resources.__all__
