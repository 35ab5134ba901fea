/** The program `custodia`: everything that an operator runs, in the image, as a service and in a checkout. */
import { EXIT } from './cli/command.ts'
import { printFailure, runProgram } from './cli/program.ts'

runProgram(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    printFailure(error)
    process.exit(EXIT.failed)
  },
)
