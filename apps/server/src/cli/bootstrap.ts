import { NewClient, PROVIDER_CLIENT } from '@custodia/contract'
import * as z from 'zod/mini'
import { BACKUP_ROLE_NEEDED, readsAllRows } from '../backup/dump.ts'
import { bootstrap as bootstrapProvider } from '../tenants/bootstrap.ts'
import { defineCommand, exactly, EXIT, required } from './command.ts'
import {
  checked,
  getClaimMapping,
  IDENTITY_OPTIONS,
  IDENTITY_USAGE,
  getIdentity,
  signInAddress,
  withInstallation,
} from './installation.ts'

const Account = z.pick(NewClient, {
  client_name: true,
  identity: true,
  claim_mapping: true,
  first_administrator: true,
})

/** `custodia bootstrap`: makes the provider's own account, once. */
export const bootstrap = defineCommand({
  usage: `custodia bootstrap --name=<name of the provider> --administrator=<user reference>
    [--issuer=<address> --client-id=<id> [--client-secret-file=<file>] [--device-client-id=<id>]]
    [--claims=<preset or file>] [--json]

Makes the account of the provider in a new installation; an empty database is migrated first. Run again with the same values it changes
nothing; with other values it is refused.

  --administrator       who administers it first: as the claim of the person names them (with entra an e-mail address); without --claims
                        that is user_reference, else sub
${IDENTITY_USAGE}
  --json                prints the result as JSON`,
  options: {
    name: { type: 'string' },
    administrator: { type: 'string' },
    json: { type: 'boolean', default: false },
    ...IDENTITY_OPTIONS,
  },
  async run({ json, ...values }, positionals) {
    exactly(0, positionals)
    const client_name = required(values.name, 'name')
    const first_administrator = required(values.administrator, 'administrator')
    return withInstallation(
      async (installation) => {
        const { config } = installation
        if (config.demo) throw new Error('This installation runs the demo: set OIDC_ISSUER, or DEMO=false.')
        const identity = await getIdentity(config, values)
        const claim_mapping = await getClaimMapping(values.claims)
        const account = checked(Account, { client_name, identity, claim_mapping, first_administrator })
        const is_new = await bootstrapProvider(installation, account)
        const sign_in_url = signInAddress(config, PROVIDER_CLIENT)
        console.log(
          json
            ? JSON.stringify({ client: PROVIDER_CLIENT, is_new, sign_in_url }, null, 2)
            : `${is_new ? 'The account of the provider was made.' : 'The account of the provider exists with these values. Nothing was changed.'}\n` +
                `${first_administrator} signs in at ${sign_in_url}`,
        )
        const { url, backup = url } = config.database
        if (!json && backup !== undefined && !(await readsAllRows(backup)))
          console.log(`\n${BACKUP_ROLE_NEEDED}`)
        return EXIT.done
      },
      { mayBeNew: true },
    )
  },
})
