import VaultReports
import AttackSupport
import Foundation
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Authentic seals over malformed content, judged by everything that says whether a copy is good.
@Suite struct AgreementTests {
  /// Returns whether a judge calls a copy damaged; other errors are about other things.
  private static func isDamaged(_ judge: () throws(VaultError) -> Bool) -> Bool {
    do throws(VaultError) {
      return try judge()
    } catch {
      // From the highest generation, which is right, a restore cannot count on.
      return error.code == .damaged && !error.context.contains("out of bounds with")
    }
  }

  /// Judges a file at `copy` of a golden vault at `vault`.
  private static func verdicts(_ folder: Folder, _ key: UnlockKey) throws -> [String: Bool] {
    let (copy, vault) = (folder("copy"), folder("vault"))
    func store<R>(
      _ path: String, _ body: (FileStore) throws(VaultError) -> R
    ) throws(VaultError) -> R {
      try GoldenVault.withStore(path, key: key, body)
    }
    return [
      "verify": isDamaged { () throws(VaultError) in
        try store(copy) { (store) throws(VaultError) in try !store.verify().problems.isEmpty }
      },
      "backup": isDamaged { () throws(VaultError) in
        try store(copy) { (store) throws(VaultError) in
          _ = try store.backUp(to: folder("backup"))
          return false
        }
      },
      "backup --keep": isDamaged { () throws(VaultError) in
        try store(vault) { (store) throws(VaultError) in
          try !store.backUp(to: folder("kept"), keeping: 5).uncounted.isEmpty
        }
      },
      "restore --check": isDamaged { () throws(VaultError) in
        _ = try FileStore.check(copy, against: vault, key: key, lockTimeout: .zero)
        return false
      },
      "restore": isDamaged { () throws(VaultError) in
        _ = try FileStore.restore(
          from: copy, to: folder("restored"), key: key, stateFolder: nil, lockTimeout: .zero)
        return false
      },
      "merge": isDamaged { () throws(VaultError) in
        try store(vault) { (store) throws(VaultError) in
          _ = try store.merge(
            copy, key: key, keyFile: nil, lockTimeout: .zero,
            otherKey: { (failure) throws(VaultError) in
              if let failure { throw failure }
              return key
            },
            decisions: MergeDecisions(isDryRun: true, preference: .ours) { _ in nil })
          return false
        }
      },
    ]
  }

  @Test func `Everything that judges a copy agrees with verify on sealed but malformed content`()
    throws
  {
    let template = try Resealed.Template()
    let golden = try GoldenVault.small.get()
    let seeds = Array(0..<(AttackRun.isComplete ? 8_000 : 400))
    let run = AttackRun.run(seeds) { seed, _, _ in
      let folder = try Folder()
      try File.write(golden.bytes, to: folder("vault"))
      let vault = Resealed(seed: UInt64(seed), template)
      try vault.write(to: folder("copy"), template)
      try Self.makeFolder(folder("kept"))
      try File.write(File.read(folder("copy")), to: folder("kept/vault-20260101T000000Z.vault"))
      let verdicts = try Self.verdicts(folder, golden.key)
      guard let damaged = verdicts["verify"], verdicts.values.allSatisfy({ $0 == damaged }) else {
        return .wrong("\(verdicts.filter(\.value).keys.sorted()) call it damaged: \(vault.faults)")
      }
      return damaged ? .refused(.damaged) : .right
    }
    #expect(run.wrong == [])
    #expect(run.right > seeds.count / 40 && run.refused > seeds.count / 4)
  }

  private static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }
}
