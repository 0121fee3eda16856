/** What the list's place holds in the answer to a panel: the browser keeps the list that it has. */
export default function KeptList() {
  return null;
}
