import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("the licence", .waiting)
struct LicenceTests {
  private static let name = "Apache-2.0"

  private func script(_ words: String...) throws -> [String] {
    let script = Project.root.appending(path: "Scripts/\(words[0])").path
    let result = try Sandbox().run([script] + words.dropFirst())
    try #require(result.status == 0, "\(result.errors)")
    return result.lines.map { "\($0)" }
  }

  @Test("it is Debian's text of the Apache License 2.0")
  func text() throws {
    let debian = try String(
      contentsOf: URL(filePath: "/usr/share/common-licenses/\(Self.name)"), encoding: .utf8)
    #expect(try Project.text(of: "LICENSE") == debian)
  }

  @Test("the manifest, the packages, the bill of materials and README name it")
  func named() throws {
    let manifest = try Project.text(of: "Package.swift").split(separator: "\n")
    #expect(manifest[1] == "// SPDX-License-Identifier: \(Self.name)")
    let copyright = try Project.text(of: "Packaging/copyright").split(separator: "\n")
    #expect(copyright.filter { $0 == "License: \(Self.name)" }.count == 2)
    let bill = try script("sbom", "1", "c").joined(separator: "\n")
    #expect(bill.firstMatch(of: /"component": \{[^}]*"expression": "Apache-2\.0"/) != nil)
    #expect(Markdown(try Project.text(of: "README.md")).links.contains("LICENSE"))
  }

  @Test("every component of the bill of materials has a licence")
  func components() throws {
    let bill = try script("sbom", "1", "c").joined(separator: "\n")
    let components = bill.matches(of: /"type": "library"/).count
    // The product's own is one more.
    #expect(components > 10 && bill.matches(of: /"expression": "[^"]+"/).count == components + 1)
  }

  @Test("the notices begin with what is under the LGPL, and how to link to a changed version of it")
  func notices() throws {
    let lines = try script("notices")
    let first = try #require(lines.firstIndex { $0.hasPrefix("==== ") })
    let head = lines[..<first].joined(separator: "\n")
    for library in ["glibc", "libidn2", "libunistring", "liboath", "systemd"] {
      #expect(head.contains("\n  \(library): LGPL-"), "\(library)")
    }
    #expect(head.contains("make install"))
    #expect(lines.contains("==== Apache-2.0 (Credential Vault)"))
    for package in try script("sbom", "--static") {
      #expect(lines.contains("==== \(package) (Debian)"), "\(package)")
    }
  }
}
