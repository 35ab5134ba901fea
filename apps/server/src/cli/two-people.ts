import { disableDualControl } from '../proposals/disable-dual-control.ts'
import { accountAct } from './account-act.ts'

/** `custodia two-people off`: for an account in which no two are left who could decide (docs/legal-holds.md). */
export const twoPeople = accountAct(
  'two-people',
  'off',
  "Switches dual control off for an account in which no two people are left who could decide. The account's log says that the operator did it, and why.",
  async (archive, act) => {
    if (!(await disableDualControl(archive, act))) throw new Error('two people are not asked for')
    return 'one person decides again; the log of the account says so.'
  },
)
