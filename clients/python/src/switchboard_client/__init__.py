"""Client of the Switchboard messaging API: WhatsApp messages that are never sent twice."""

from . import api_errors as _api_errors
from . import requests as _requests
from . import resources as _resources
from .api_errors import *  # noqa: F403
from .client import POLL_AT_SECONDS, Switchboard
from .errors import ApiError, NoResponseError, SwitchboardError, WebhookVerificationError
from .requests import *  # noqa: F403
from .resources import *  # noqa: F403
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "NoResponseError",
    "POLL_AT_SECONDS",
    "Switchboard",
    "SwitchboardError",
    "WebhookVerificationError",
    "verify_webhook",
]
__all__ += _api_errors.__all__
__all__ += _requests.__all__
__all__ += _resources.__all__
