import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { PageHeader } from '../../ui/page-header.tsx'
import type { ListDefinition } from './list-definition.ts'
import classes from './list-page.module.css'
import type { ListSearch } from './list-search.ts'
import { ListView } from './list-view.tsx'
import { totalText } from './total-text.ts'

/** A page that is one list: its title with the total, its keys, and as tall as the window. */
export function ListPage<Row, Query>(props: { list: ListDefinition<Row, Query>; search: ListSearch }) {
  const { i18n } = useLingui()
  const { list } = props
  return (
    <div className={classes.page}>
      <ListView
        {...props}
        hasPageKeys
        head={(total) => (
          <PageHeader
            title={i18n._(list.title)}
            aside={
              total && (
                <Text span c="dimmed" size="lg" className="tabular">
                  {totalText(total, (count) => i18n.number(count))}
                </Text>
              )
            }
            actions={list.primaryAction}
          />
        )}
      />
    </div>
  )
}
