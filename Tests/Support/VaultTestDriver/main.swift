import CKillSwitch
import CredentialVault
import Glibc
import VaultModel

// A program that uses a vault and is killed, stopped, forked or scanned while it does. Its first
// argument is a command, the others are `name=value`.
let arguments = Arguments(CommandLine.arguments.dropFirst(2))
do {
  switch CommandLine.arguments.dropFirst().first {
  case "write": try write(arguments)
  case "fail": try fail(arguments)
  case "count-reads": try countReads(arguments)
  case "trace": try trace(arguments)
  case "operate": try operate(arguments)
  case "fill": try fill(arguments)
  case "fail-everywhere": try failEverywhere(arguments)
  case "add": try add(arguments)
  case "read": try read(arguments)
  case "mix": try mix(arguments)
  case "hold": try hold(arguments)
  case "rules": try rules(arguments)
  case "create": try create(arguments)
  case "rekey": try rekey(arguments)
  case "probe": try probe(arguments)
  case "look": try look(arguments)
  case "restore": try restore(arguments)
  case "fork": try forkWhileOpen(arguments)
  case "fork-observed": try forkWhileObserved(arguments)
  case "observe-failing": try observeFailing(arguments)
  case "reseal": try reseal(arguments)
  case "derive": try derive(arguments)
  case "salvage-small": try salvageInLittleSpace(arguments)
  case "memory": try scanMemory(arguments)
  case "pending": try scanPending(arguments)
  case "identity": try scanIdentity(arguments)
  default: exit(64)
  }
} catch {
  // The name of the code: no test depends on more.
  say("error \((error as? VaultError)?.code.description ?? "\(error)")")
  exit(1)
}
