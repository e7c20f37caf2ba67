import CSQLite
import Glibc
import SecureMemory
import VaultCrypto
import VaultModel

/// Checks of this process and its libraries.
extension Diagnostics {
  mutating func examineProcess() {
    // Made before the report, so that there is memory to report.
    let sample = Secret("sample")
    let report = withExtendedLifetime(sample) { MemoryProtection.report }
    let limit = MemoryProtection.lockLimit.map { "\($0 / 1024) KiB" } ?? "no limit"
    if report.unlockedBytes > 0 {
      add(
        "locked-memory", .warning,
        "\(report.unlockedBytes) bytes for secrets may be swapped out; the limit is \(limit)",
        remedy: .raiseLockedMemoryLimit)
    } else {
      add(
        "locked-memory", .ok,
        "\(report.lockedBytes) bytes for secrets are locked; the limit is \(limit)")
    }
    switch (MemoryProtection.isDumpable, MemoryProtection.coreLimit) {
    case (false, 0):
      add("core-dumps", .ok, "neither a core nor a debugger of this user sees this process")
    case (false, _):
      add("core-dumps", .ok, "no core is written, and no debugger of this user sees this process")
    case (true, 0):
      add("core-dumps", .note, "no core file is written, but a debugger of this user can attach")
    default:
      add(
        "core-dumps", .note,
        "a crash may write a core: secrets are left out of it, but attributes are not")
    }
    if MemoryProtection.wipesKeysInChildren {
      add("forked-children", .ok, "the kernel wipes the keys in a forked child")
    } else {
      add(
        "forked-children", .note,
        "the keys are wiped in a forked child by the C library's fork alone")
    }
  }

  mutating func examineLibraries() {
    let libraries = [
      ("libsodium", CryptoLibrary.version, CryptoLibrary.builtVersion),
      ("SQLite", SQLiteLibrary.version, SQLiteLibrary.builtVersion),
      ("libidn2", HostLibrary.version, HostLibrary.builtVersion),
    ]
    for (name, running, built) in libraries {
      add(
        "libraries", .ok,
        "\(name) \(running)" + (running == built ? "" : ", built with \(built)"))
    }
    for fault in SQLiteLibrary.faults {
      add("libraries", VaultError(.unsupported, "SQLite \(fault)"))
    }
  }
}

/// The SQLite that this process runs.
enum SQLiteLibrary {
  // SQLite's own constant strings.
  static var version: String { unsafe String(cString: sqlite3_libversion()) }
  static var builtVersion: String { SQLITE_VERSION }

  /// The requirements of this library that SQLite does not meet.
  static var faults: [String] {
    var faults: [String] = []
    // STRICT tables came with 3.37.
    if sqlite3_libversion_number() < 3_037_000 { faults.append("\(version) is older than 3.37") }
    if sqlite3_threadsafe() == 0 { faults.append("was built without threads") }
    let options = [
      "OMIT_VACUUM", "OMIT_ATTACH", "OMIT_INTEGRITY_CHECK", "OMIT_PAGER_PRAGMAS",
      "OMIT_FLAG_PRAGMAS",
      "OMIT_SCHEMA_PRAGMAS", "OMIT_DISKIO", "TEMP_STORE=0",
    ]
    for option in options where unsafe sqlite3_compileoption_used(option) != 0 {
      faults.append("was built with \(option)")
    }
    return faults
  }
}
