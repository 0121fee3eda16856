import { readDefinition } from "@/lib/templates/definition";
import type { ApprovedTemplate } from "@/lib/templates/queries";
import { listVariables } from "@/lib/templates/variable-keys";

/** The public template record: `components` are WhatsApp's, `variables` the keys that a send must or may fill. */
export function toTemplateResource(template: ApprovedTemplate) {
  return {
    id: template.id,
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    parameterFormat: template.parameterFormat,
    components: template.components,
    variables: listVariables(readDefinition(template)),
    qualityScore: template.qualityScore,
    phoneNumberIds: template.phoneNumberIds,
    updatedAt: template.updatedAt.toISOString(),
  };
}
