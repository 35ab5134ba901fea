/** A link within the portal's signed-in pages; undefined for anything else, whoever wrote it. */
export function portalPath(link: string | undefined): string | undefined {
  if (link === undefined || !/^\/(?:dashboard|internal)(?:[/?#]|$)/.test(link)) return undefined
  const url = new URL(link, 'https://portal.invalid')
  // What `..` leads out of the pages is no page.
  return /^\/(?:dashboard|internal)(?:\/|$)/.test(url.pathname)
    ? `${url.pathname}${url.search}${url.hash}`
    : undefined
}
