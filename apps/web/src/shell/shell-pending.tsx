import { BrandMark } from '../components/frame/brand.tsx'
import { PagePending } from '../ui/page-pending.tsx'
import classes from './shell.module.css'

/** Placeholder of the shell in its final size. */
export const ShellPending = () => (
  <div className={classes.shell} aria-busy="true">
    <div className={`${classes.header} ${classes.waiting}`}>
      <BrandMark />
    </div>
    <div className={classes.navigation} />
    <div className={classes.main}>
      <PagePending />
    </div>
  </div>
)
