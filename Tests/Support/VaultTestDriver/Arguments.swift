import CredentialVault
import Glibc
import VaultModel

/// The command's `name=value` pairs.
struct Arguments {
  private var values: [Substring: String] = [:]

  init(_ words: ArraySlice<String>) {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[parts[0]] = parts.count > 1 ? String(parts[1]) : ""
    }
  }

  subscript(name: String) -> String {
    guard let value = values[name[...]] else {
      say("error missing-argument-\(name)")
      exit(64)
    }
    return value
  }

  subscript(name: String, value: String) -> String {
    values[name[...]] ?? value
  }

  func number(_ name: String, default value: Int = 0) -> Int {
    values[name[...]].flatMap { Int($0) } ?? value
  }

  func openVault() throws(VaultError) -> Vault {
    try Vault.open(
      path: self["vault"], key: .keyFile(self["key"]),
      lockTimeout: .milliseconds(number("timeout", default: 120_000)))
  }
}

/// Prints a line at once: a process that is killed has no time to empty a buffer.
func say(_ line: some CustomStringConvertible) {
  let bytes = Array("\(line)\n".utf8)
  // The buffer is as long as what is written.
  _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
}
