# Generated from the OpenAPI document by `npm run clients:release`.
# Change the API's schemas, not this file.

"""An error class for each code of the API."""

from __future__ import annotations

from typing import Dict, Type

from .errors import ApiError

__all__ = [
    "ChatGraphError",
    "ForbiddenError",
    "IdempotencyConflictError",
    "InternalError",
    "MethodNotAllowedError",
    "NoPhoneNumberError",
    "NotFoundError",
    "PayloadTooLargeError",
    "PhoneNumberInactiveError",
    "PhoneNumberNotFoundError",
    "PhoneNumberRequiredError",
    "PlanLimitExceededError",
    "RateLimitExceededError",
    "RequestTimeoutError",
    "ServiceUnavailableError",
    "TemplateNotApprovedError",
    "UnauthorizedError",
    "ValidationError",
]


class ValidationError(ApiError):
    """The request breaks a rule. HTTP 400."""


class PhoneNumberRequiredError(ApiError):
    """Several lines could send this. HTTP 400."""


class PhoneNumberNotFoundError(ApiError):
    """That line is not in this workspace. HTTP 400."""


class PhoneNumberInactiveError(ApiError):
    """That line is paused. HTTP 400."""


class NoPhoneNumberError(ApiError):
    """No active line is connected. HTTP 400."""


class TemplateNotApprovedError(ApiError):
    """The template is not approved. HTTP 400."""


class ChatGraphError(ApiError):
    """WhatsApp did not accept the message. HTTP 400 or 502."""


class UnauthorizedError(ApiError):
    """The credentials were not accepted. HTTP 401."""


class PlanLimitExceededError(ApiError):
    """The plan’s messages are used up. HTTP 402."""


class ForbiddenError(ApiError):
    """This key or member may not do this. HTTP 403."""


class NotFoundError(ApiError):
    """Nothing has that name or id. HTTP 404."""


class MethodNotAllowedError(ApiError):
    """Method not allowed. HTTP 405."""


class RequestTimeoutError(ApiError):
    """The request’s body did not arrive. HTTP 408."""


class IdempotencyConflictError(ApiError):
    """The idempotency key belongs to another message. HTTP 409."""


class PayloadTooLargeError(ApiError):
    """The body is too large. HTTP 413."""


class RateLimitExceededError(ApiError):
    """Too many requests. HTTP 429."""


class InternalError(ApiError):
    """Something failed on our side. HTTP 500."""


class ServiceUnavailableError(ApiError):
    """The service cannot answer right now. HTTP 503."""


# A code that is not listed is an `ApiError`.
ERROR_CLASSES: Dict[str, Type[ApiError]] = {
    "VALIDATION_ERROR": ValidationError,
    "PHONE_NUMBER_REQUIRED": PhoneNumberRequiredError,
    "PHONE_NUMBER_NOT_FOUND": PhoneNumberNotFoundError,
    "PHONE_NUMBER_INACTIVE": PhoneNumberInactiveError,
    "NO_PHONE_NUMBER": NoPhoneNumberError,
    "TEMPLATE_NOT_APPROVED": TemplateNotApprovedError,
    "CHAT_GRAPH_ERROR": ChatGraphError,
    "UNAUTHORIZED": UnauthorizedError,
    "PLAN_LIMIT_EXCEEDED": PlanLimitExceededError,
    "FORBIDDEN": ForbiddenError,
    "NOT_FOUND": NotFoundError,
    "METHOD_NOT_ALLOWED": MethodNotAllowedError,
    "REQUEST_TIMEOUT": RequestTimeoutError,
    "IDEMPOTENCY_CONFLICT": IdempotencyConflictError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "RATE_LIMIT_EXCEEDED": RateLimitExceededError,
    "INTERNAL_ERROR": InternalError,
    "SERVICE_UNAVAILABLE": ServiceUnavailableError,
}
