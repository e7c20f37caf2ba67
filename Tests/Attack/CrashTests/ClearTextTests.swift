import AttackSupport
import Foundation
import SealedTree
import SecureMemory
import StoreTesting
import TestTraits
import Testing
import VaultStore
import VaultModel

/// No part of an item is in clear in the file, its journal or a backup, in any encoding.
@Suite(.waiting) struct ClearTextTests {
  private static let markers = [
    "markerhost.example.com", "marker-account-4711", "marker-realm-Zanzibar",
    "marker-label-Orinoco",
    "marker-comment-Mississippi", "marker/path/Kilimanjaro", "marker-custom-name-Elbrus",
    "marker-custom-value-Ararat", "marker-kind-Titicaca", "marker-origin-Baikal",
    "marker-domain-Vesuvius", "marker-secret-Stromboli", "marker-token-Aconcagua",
    "marker-default-Popocatepetl",
  ]
  private static let largeMarker = "marker-large-Eyjafjallajoekull"

  private static var item: Item {
    get throws {
      var item = Item(
        server: try HostName(markers[0]), account: markers[1], secret: Secret(markers[11]),
        protocol: .https, port: 443, realm: markers[2], path: markers[5])
      item.label = markers[3]
      item.comment = markers[4]
      item.custom = [markers[6]: markers[7]]
      item.kind = markers[8]
      item.origin = markers[9]
      item.accountDomain = markers[10]
      item.refreshToken = Secret(markers[12])
      return item
    }
  }

  /// Returns the encodings of the marker as text, and base64 at each of three alignments.
  private static func writings(of marker: String) -> [Data] {
    let bytes = Data(marker.utf8)
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    let base64 = (0..<3).map { shift in
      let text = (Data(repeating: 0, count: shift) + bytes).base64EncodedData()
      // The characters at both ends hold bits of the bytes beside the marker.
      return text.dropFirst(shift == 0 ? 0 : 4).dropLast(4)
    }
    let utf16 = [String.Encoding.utf16LittleEndian, .utf16BigEndian].compactMap {
      marker.data(using: $0)
    }
    return [bytes, Data(bytes.reversed()), Data(hex.utf8), Data(hex.uppercased().utf8)] + base64
      + utf16
  }

  /// Returns the number of encoded markers in `bytes`.
  private static func findings(in bytes: [UInt8]) -> Int {
    let data = Data(bytes)
    return (markers + [largeMarker]).flatMap(writings).count { data.range(of: $0) != nil }
  }

  @Test func `The scanner finds each marker in each writing`() {
    let noise = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 61 &+ $0 >> 3) }
    for marker in Self.markers + [Self.largeMarker] {
      for writing in Self.writings(of: marker) {
        #expect(writing.count >= 12)
        #expect(Self.findings(in: noise + writing + noise) > 0)
      }
      // Within a longer text, at each alignment.
      for shift in 0..<3 {
        let text = Data((String(repeating: "x", count: shift) + marker + "yy").utf8)
        #expect(Self.findings(in: noise + text.base64EncodedData() + noise) > 0)
      }
    }
    #expect(Self.findings(in: noise) == 0)
  }

  @Test func `Neither the file nor its journal nor a backup holds anything of an item in clear`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let backup = fixture.folder("backup")
    let space = try ProtectionSpace(host: Self.markers[0], protocol: .https)
    let item = try Self.item
    let count = try fixture.withStore { (store) throws(VaultError) in
      let added = try store.add(item)
      var large = Item(server: item.server, account: Self.markers[13])
      large.secret = Secret(String(repeating: Self.largeMarker, count: 100))
      _ = try store.add(large)
      try store.setDefaultUser(Self.markers[13], for: space)
      // Earlier contents of pages go through a journal, and through the free list.
      _ = try store.modify(added.id, hint: added.key, [.comment(Self.markers[4] + "!")])
      return try store.backUp(to: backup).itemCount
    }
    #expect(count == Workload.modify.base.count + 2)
    let driver = try fixture.driver(
      "write",
      ["workload": "modify", "first": "0", "count": "0", "switch": "stop", "call": "1000"])
    #expect(driver.wait() == .stopped)
    let journal = try File.read(fixture.vault + "-journal")
    #expect(journal.count > 4096)
    #expect(Self.findings(in: journal) == 0)
    #expect(Self.findings(in: try File.read(fixture.vault)) == 0)
    #expect(Self.findings(in: try File.read(backup)) == 0)
    for name in try fixture.folder.contents(of: "state/vaultctl") {
      #expect(Self.findings(in: try File.read(fixture.stateFolder + "/" + name)) == 0)
      #expect(Self.findings(in: Array(name.utf8)) == 0)
    }
    driver.signal(SIGKILL)
    driver.signal(SIGCONT)
    #expect(driver.wait() == .killed(signal: SIGKILL))
  }
}
