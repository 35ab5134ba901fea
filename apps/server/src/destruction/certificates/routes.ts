import type { CertificateSummary, DestructionCertificate } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { pageOf } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { countCertificates, findCertificate, findCertificates } from './certificate-store.ts'

/** Routes of destruction certificates. */
export const certificateRoutes = ({
  cursors,
  keys,
}: Pick<AppContext, 'cursors' | 'keys'>): Handlers<
  'listCertificates' | 'readCertificate' | 'readCertificateKeys'
> => ({
  listCertificates: async ({ caller: { client_id, client }, read }, { query }) => {
    if (query.type === 'total') return { total: await read(countCertificates) }
    return pageOf<CertificateSummary, readonly [string]>(
      cursors,
      { name: 'certificates', client_id, query },
      async (after, limit) => {
        const found = await read((q) => findCertificates(q, after?.[0], limit))
        return found.map(({ run_id, ...certificate }) => ({ client, run: run_id, ...certificate }))
      },
      ({ certificate_reference }) => [certificate_reference],
    )
  },
  readCertificate: async ({ read }, { params }) => {
    const found = await read((q) => findCertificate(q, params.certificate_reference))
    if (!found) throw new Problem('not_found', { detail: 'no such certificate' })
    const { body, key_id, signature } = found
    return {
      certificate: JSON.parse(body) as DestructionCertificate['certificate'],
      signature: { algorithm: 'Ed25519', key_id, value: signature.toString('base64') },
    }
  },
  readCertificateKeys: async ({ caller: { client } }) => ({ client, keys: await keys.verificationKeys() }),
})
