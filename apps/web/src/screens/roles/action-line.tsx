import type { ActionPreview } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { VisuallyHidden } from '@mantine/core'
import { actionWords } from '../../components/words/action-words.ts'
import { Icon } from '../../ui/icon.tsx'
import { GroupSample } from '../../ui/sample-list.tsx'
import classes from './role-preview.module.css'

/** One action of the preview: where it is allowed, denied parts, or why it is not allowed. */
export function ActionLine({ action }: { action: ActionPreview }) {
  const { i18n, t } = useLingui()
  const { outcome, denied_by, groups, struck, groupless } = action
  const isAllowed = outcome === 'allowed'
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  const rules = list.format(denied_by.map((index) => i18n.number(index + 1)))
  const isStruck = struck.is_all || struck.count > 0
  return (
    <li className={classes.action}>
      <span className={classes.mark} data-outcome={outcome}>
        <Icon name={isAllowed ? 'check' : outcome === 'confined' ? 'warning' : 'x'} size={14} />
      </span>
      <div>
        <span
          className={`${classes.name} ${outcome === 'denied' ? classes.struck : ''}`}
          title={action.action}
        >
          {actionWords(action.action)}
        </span>
        <VisuallyHidden>
          {' '}
          {isAllowed ? t`allowed` : outcome === 'confined' ? t`not allowed` : t`denied`}
        </VisuallyHidden>{' '}
        <span className={classes.where}>
          {outcome === 'confined' ? (
            <Trans>needs a rule without group conditions</Trans>
          ) : !isAllowed ? (
            <Trans>denied by rule {rules}</Trans>
          ) : (
            <>
              {groups.is_all && groupless ? (
                <Trans>everywhere</Trans>
              ) : (
                <Trans>
                  in <GroupSample sample={groups} />
                </Trans>
              )}
              {isStruck && (
                <>
                  {' · '}
                  <Trans>
                    not{' '}
                    <s>
                      <GroupSample sample={struck} />
                    </s>{' '}
                    (rule {rules})
                  </Trans>
                </>
              )}
            </>
          )}
        </span>
      </div>
    </li>
  )
}
