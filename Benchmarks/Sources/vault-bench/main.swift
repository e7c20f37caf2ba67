import CredentialVault
import Glibc

// Measures the vault beside unencrypted SQLite and prints a Markdown table.

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  if let mode = arguments.first.flatMap(ChildMode.init) {
    try mode.run(Array(arguments.dropFirst()))
  } else if arguments.first == "memory-of", arguments.count > 1 {
    // In a process that is small itself: a new program takes over the figure of the one before.
    print(try Child.peakMemory(arguments[1], Array(arguments.dropFirst(2))))
  } else if arguments.first == "profile" {
    try Profile(Array(arguments.dropFirst())).run()
  } else {
    try Options(arguments).run()
  }
} catch {
  log("vault-bench: \(error)")
  exit(1)
}
