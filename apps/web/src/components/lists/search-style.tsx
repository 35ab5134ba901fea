import { Icon } from '../../ui/icon.tsx'
import classes from './search-style.module.css'

/** Style of the search field, also for its placeholder. */
export const SEARCH_STYLE = {
  className: classes.search,
  size: 'xs',
  styles: { input: { height: 32, fontSize: 14 } },
  type: 'text',
  inputMode: 'search',
  leftSection: <Icon name="search" size={15} />,
} as const
