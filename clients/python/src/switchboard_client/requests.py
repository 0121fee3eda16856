# Generated from the OpenAPI document by `npm run clients:release`.
# Change the API's schemas, not this file.

"""What a caller sends, with the names of the API's JSON."""

from __future__ import annotations

from typing import Dict, List, Literal, Optional, TypedDict, Union

__all__ = [
    "Carousel",
    "CarouselCard",
    "CarouselCardButtonValue",
    "CarouselCardButtonValueParametersPayload",
    "CarouselCardButtonValueParametersText",
    "CarouselCardHeader",
    "SendInteractive",
    "SendRequest",
    "SendTemplate",
    "SendText",
    "TemplateComponent",
    "TemplateComponentCard",
    "TemplateComponentCardComponent",
    "TemplateComponentParameter",
    "TemplateFilter",
]


class _SendTextRequired(TypedDict):
    type: Literal["text"]
    """Message type."""
    content: str
    """For `text` the text. For `interactive` WhatsApp’s interactive payload as JSON text: a string,
    not an object.
    """


class SendText(_SendTextRequired, total=False):
    phone: Optional[str]
    """The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens
    and parentheses are dropped. This or `contactId`.
    """
    contactId: Optional[str]
    """The recipient as a contact of the workspace, by its id in the dashboard."""
    idempotencyKey: Optional[str]
    """In place of the header `Idempotency-Key`; where both are given, they must be equal."""
    revalidateFlowSession: Optional[bool]
    """With `contactId`: closes the contact’s open flow sessions, those of one line where
    `phoneNumberId` names it.
    """
    phoneNumberId: Optional[str]
    """The line that sends, by our id (`pn_…`), not WhatsApp’s numeric one. Needed once several
    lines are active.
    """


class _SendInteractiveRequired(TypedDict):
    type: Literal["interactive"]
    """Message type."""
    content: str
    """For `text` the text. For `interactive` WhatsApp’s interactive payload as JSON text: a string,
    not an object.
    """


class SendInteractive(_SendInteractiveRequired, total=False):
    phone: Optional[str]
    """The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens
    and parentheses are dropped. This or `contactId`.
    """
    contactId: Optional[str]
    """The recipient as a contact of the workspace, by its id in the dashboard."""
    idempotencyKey: Optional[str]
    """In place of the header `Idempotency-Key`; where both are given, they must be equal."""
    revalidateFlowSession: Optional[bool]
    """With `contactId`: closes the contact’s open flow sessions, those of one line where
    `phoneNumberId` names it.
    """
    phoneNumberId: Optional[str]
    """The line that sends, by our id (`pn_…`), not WhatsApp’s numeric one. Needed once several
    lines are active.
    """


class _TemplateComponentParameterRequired(TypedDict):
    type: str
    """`text`, or another type of WhatsApp’s."""


class TemplateComponentParameter(_TemplateComponentParameterRequired, total=False):
    text: str
    """The value, at most 160 characters. Of a link button its end only, percent-encoded."""


class TemplateComponentCardComponent(TypedDict):
    type: str
    """`header`, `body` or `button`."""


class TemplateComponentCard(TypedDict):
    card_index: int
    """Which card, counted from 0."""
    components: List[TemplateComponentCardComponent]
    """The card’s own parts, in the same form."""


class _TemplateComponentRequired(TypedDict):
    type: str
    """`body`, `button` or `carousel`; `header` and WhatsApp’s other types are passed on, too."""


class TemplateComponent(_TemplateComponentRequired, total=False):
    sub_type: str
    """Required for a button: `url` for a link."""
    index: Union[str, int]
    """Required for a button: its index on the template, from 0 to 9."""
    parameters: List[TemplateComponentParameter]
    """One item for each value."""
    cards: List[TemplateComponentCard]
    """Required for a carousel: one item for each card."""


class CarouselCardButtonValueParametersText(TypedDict):
    type: Literal["text"]
    """Always `text`."""
    text: str
    """The value itself."""


class CarouselCardButtonValueParametersPayload(TypedDict):
    type: Literal["payload"]
    payload: str


class CarouselCardButtonValue(TypedDict):
    index: int
    """Which button of the card, counted from 0."""
    sub_type: str
    """`url`, `copy_code`, `quick_reply`, `catalog` or `mpm`."""
    parameters: Union[CarouselCardButtonValueParametersText, CarouselCardButtonValueParametersPayload]
    """The value. For a URL button: only the variable end of its URL, not the whole."""


class _CarouselCardHeaderRequired(TypedDict):
    format: Literal["image", "video", "document"]
    """What the template’s cards have: WhatsApp’s have a picture or a video."""


class CarouselCardHeader(_CarouselCardHeaderRequired, total=False):
    link: Optional[str]
    """A public address; what it leads to is uploaded to WhatsApp before the send."""
    id: Optional[str]
    """In place of `link`: the id of media that was uploaded to WhatsApp before."""


class _CarouselCardRequired(TypedDict):
    index: int
    """Which card, counted from 0."""


class CarouselCard(_CarouselCardRequired, total=False):
    bodyValues: Optional[Dict[str, str]]
    """The card’s text, by number or by name. A key that matches a placeholder’s name fills it;
    other keys fill the remaining placeholders in order.
    """
    buttonValues: Optional[List[CarouselCardButtonValue]]
    """Values of the buttons that take one."""
    header: Optional[CarouselCardHeader]
    """The picture or video above the text."""


class Carousel(TypedDict):
    """The cards of a carousel template, by themselves."""
    cards: List[CarouselCard]
    """One item for each card of the template."""


class _SendTemplateRequired(TypedDict):
    type: Literal["template"]
    """Message type."""
    templateName: str
    """The name of an approved template."""


class SendTemplate(_SendTemplateRequired, total=False):
    phone: Optional[str]
    """The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens
    and parentheses are dropped. This or `contactId`.
    """
    contactId: Optional[str]
    """The recipient as a contact of the workspace, by its id in the dashboard."""
    templateLanguage: Optional[str]
    """Its language code, such as `en_US`. Needed where the name is approved in several. `en` finds
    `en_US` where that is the only approved English one.
    """
    expectCategory: Optional[Literal["UTILITY", "MARKETING", "AUTHENTICATION"]]
    """The category that you expect the template to have. Where WhatsApp has put it into another
    since, the send is refused before it costs more.
    """
    templateVariables: Optional[Dict[str, str]]
    """A value for each key that the template’s record lists in `variables` as required, and for one
    key of each `oneOf`; `{}` where there is none. At most 160 characters each.
    """
    templateComponents: Optional[List[TemplateComponent]]
    """WhatsApp’s own components, passed on unchanged, in place of every other way to fill.
    `templateLanguage` must then be exact, and a card’s picture goes by the id of uploaded media.
    """
    bodyParameters: Optional[Dict[str, str]]
    """Values of the main text by number or name. They take precedence over `templateVariables`
    there; a link that has the same key keeps its own.
    """
    carousel: Optional[Carousel]
    """The cards of a carousel template, by themselves."""
    idempotencyKey: Optional[str]
    """In place of the header `Idempotency-Key`; where both are given, they must be equal."""
    revalidateFlowSession: Optional[bool]
    """With `contactId`: closes the contact’s open flow sessions, those of one line where
    `phoneNumberId` names it.
    """
    phoneNumberId: Optional[str]
    """The line that sends, by our id (`pn_…`), not WhatsApp’s numeric one. Needed once several
    lines are active.
    """


class TemplateFilter(TypedDict, total=False):
    name: str
    """Templates of this name only."""
    language: str
    """Templates in this language only, such as `en_US`."""
    category: str
    """`UTILITY`, `MARKETING` or `AUTHENTICATION` only."""
    phoneNumberId: str
    """Templates of this line’s business account only."""


SendRequest = Union[SendText, SendInteractive, SendTemplate]
