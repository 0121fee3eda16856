/** The list alone has nothing beside it, whatever was there before. */
export default function NoPanel() {
  return null;
}
