import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import StoreTesting
import TestSupport
import TestTraits
import Testing
import VaultCrypto
import VaultFile
import VaultFleet
import VaultModel
import VaultRecovery

@Suite("a publication that is interrupted can be repeated, and forks nothing", .waiting)
struct PublishingTests {
  /// Publishes a vault through a proxy that fails from a message on.
  ///
  /// - Returns: Whether it was interrupted.
  private func publish(
    _ fleet: Replicas, failingAt message: Int, _ action: Proxy.Action
  ) throws -> Bool {
    let proxy = try Proxy(before: fleet.server.port) { number in
      number < message ? .pass : number == message ? action : .drop
    }
    defer { proxy.close() }
    let vault = try Vault.openLocked(path: fleet.first.path.path)
    defer { #expect(throws: Never.self) { try vault.close() } }
    do {
      try Fleet.publish(
        vault, to: ServerAddress(fleet.server.address(fleet.database, port: proxy.port)),
        lockTimeout: .seconds(10))
    } catch {
      #expect([.unavailable, .outcomeUnknown].contains(error.code))
      return true
    }
    return false
  }

  @Test("at each message, before it reaches the server and after it", arguments: [false, true])
  func interrupted(isPassedOn: Bool) throws {
    var message = 1
    while true {
      let fleet = try Replicas(publishes: false)
      guard try publish(fleet, failingAt: message, isPassedOn ? .cutAnswer : .drop) else { break }
      let place = FleetFile(besides: fleet.first.path.path).path
      // Nobody can tell from here whether the server has the vault, so the file must not go on.
      if FileManager.default.fileExists(atPath: place) {
        #expect(throws: VaultError(.unavailable, "")) {
          try fleet.first.add(Replicas.item("mine"))
        }
      } else {
        _ = try fleet.first.add(Replicas.item("mine"))
      }
      #expect(try Replicas.accounts(fleet.first, catchingUp: false).count >= 3)
      try fleet.publish(fleet.first)
      _ = try fleet.first.add(Replicas.item("later"))
      #expect(try fleet.rows(fleet.first) == fleet.serverRows())
      #expect(try Replicas.accounts(fleet.clone("1")) == Replicas.accounts(fleet.first))
      message += 1
    }
    // It connects twice at least, makes the tables, and publishes in a transaction.
    #expect(message > 5)
  }

  @Test("killed before or after the server has the vault, the file waits for the repetition")
  func killed() throws {
    for isStored in [false, true] {
      let fleet = try Replicas(publishes: false)
      let path = fleet.first.path.path
      // A kill leaves the file as it was before, and the server with the vault or without it.
      let plain = try Data(contentsOf: URL(filePath: path))
      if isStored {
        try fleet.publish(fleet.first)
        try fleet.first.close()
        try FileManager.default.removeItem(atPath: fleet.folder.file("state"))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: plain)
        try file.truncate(atOffset: UInt64(plain.count))
        try file.close()
      } else {
        try fleet.first.close()
        try FleetFile(besides: path).write(fleet.address)
      }
      let store = try fleet.open("0")
      #expect(throws: VaultError(.unavailable, "")) { try store.add(Replicas.item("mine")) }
      #expect(throws: VaultError(.unavailable, "")) {
        try store.addSlot(.keyFile(VaultCrypto.KeyFile()), name: "second", cost: nil)
      }
      #expect(try Replicas.accounts(store, catchingUp: false).count == 3)
      try fleet.publish(store)
      _ = try store.add(Replicas.item("later"))
      #expect(try fleet.rows(store) == fleet.serverRows())
    }
  }
}
