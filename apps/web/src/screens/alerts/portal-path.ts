/** A link to a signed-in page of the portal; undefined for anything else. */
export function portalPath(link: string | undefined): string | undefined {
  if (link === undefined || !/^\/(?:dashboard|internal)(?:[/?#]|$)/.test(link)) return undefined
  const url = new URL(link, 'https://portal.invalid')
  // Rejects `..` that leaves the pages.
  return /^\/(?:dashboard|internal)(?:\/|$)/.test(url.pathname)
    ? `${url.pathname}${url.search}${url.hash}`
    : undefined
}
