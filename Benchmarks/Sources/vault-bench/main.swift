import CredentialVault
import Glibc

// Measures the vault beside unencrypted SQLite and prints a Markdown table.

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  if let mode = arguments.first.flatMap(ChildMode.init) {
    try mode.run(Array(arguments.dropFirst()))
  } else if arguments.first == "profile" {
    try Profile(Array(arguments.dropFirst())).run()
  } else {
    try Options(arguments).run()
  }
} catch {
  log("vault-bench: \(error)")
  exit(1)
}
