import VaultAdministration
import Foundation
import ProgramTesting
import TestSupport
import TestTraits
import Testing

@Suite("the articles", .waiting)
struct ArticlesTests {
  /// The articles of all catalogs, with Swift or without.
  static let articles: [String] = {
    let folder = Project.root.appending(path: "Sources").path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
      .map { "Sources/\($0)" }
  }()

  /// The products, each with a catalog and in it a page of its name.
  static let products = articles.compactMap { article in
    article.firstMatch(of: /\/(\w+)\.docc\/\1\.md$/).map { String($0.1) }
  }

  @Test("each product has its catalog, which promises what the README does")
  func promise() throws {
    let names = Set(Self.products)
    let listed = try FileManager.default.contentsOfDirectory(
      atPath: Project.root.appending(path: "Documentation/api").path)
    #expect(names == Set(listed.map { String($0.dropLast(".txt".count)) }))
    let readme = try Project.text(of: "README.md")
    let section = try #require(
      readme.firstMatch(of: #/## Compatibility\n\n(.*?semantic versioning\.)/#.dotMatchesNewlines())
    )
    let promise = Self.words(section.1)
    #expect(promise.split(separator: ". ").count == 3)
    for article in Self.articles where names.contains(where: { article.hasSuffix("/\($0).md") }) {
      let text = try Project.text(of: article)
      #expect(Self.words(text).contains("### Compatibility \(promise)"), "\(article)")
    }
  }

  /// Returns a text whose lines may be broken elsewhere.
  private static func words(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("each article's Swift is that of a file of this folder, byte for byte", arguments: articles)
  func swift(article: String) throws {
    let page = try ReferencePage(article)
    guard page.page.blocks.contains(where: { $0.language == "swift" }) else { return }
    let name = try #require(article.split(separator: "/").last).dropLast(".md".count)
    let path = "Tests/Contract/DocumentationTests/Articles/\(name).swift"
    #expect(try page.strangeSwift(path) == [])
    // An article imports all that its Swift needs.
    let imports = page.page.blocks.flatMap { $0.text.matches(of: /(?m)^import .*$/) }
    if !imports.isEmpty {
      #expect(
        try imports.map { String($0.output) }
          == Project.text(of: path).matches(of: /(?m)^import .*$/).map { String($0.output) })
    }
  }

  @Test("the articles' C is a program that is compiled and run")
  func c() throws {
    let page = Markdown(
      try Project.text(of: "Sources/CredentialVault/CredentialVault.docc/FromC.md"))
    #expect(page.blocks.map(\.language) == ["c", "c"])
    let programs = try ["lookup", "tokens"].map { try Project.text(of: "Examples/\($0).c") }
    #expect(page.blocks.map(\.text) == programs)
  }

  @Test("the Swift of every documentation comment is in a file of this folder, line by line")
  func comments() throws {
    let code = try Project.text(of: "Tests/Contract/DocumentationTests/Articles/Comments.swift")
    let sources = Project.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    var count = 0
    for file in files ?? [] where file.hasSuffix(".swift") {
      let comments = try Project.text(of: "Sources/\(file)")
        .matches(of: /(?m)^ *\/\/\/ ?(.*)$/).map { String($0.1) }.joined(separator: "\n")
      for block in Markdown(comments).blocks where block.language == "swift" {
        let lines = block.text.split(separator: "\n").map { "    \($0)\n" }
        #expect(code.contains(lines.joined()), "\(file)")
        count += 1
      }
    }
    #expect(count >= 4)
  }

  // MARK: What the Swift does

  let folder: TemporaryFolder
  let vault: Vault
  let space: ProtectionSpace
  var keyPath: String { folder.file("key") }

  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    vault = try Vault.create(path: folder.file("vault/v"), key: .keyFile(folder.file("key")))
    space = try ProtectionSpace(url: "https://git.example.com/", realm: "Team Git")
  }

  @Test("the first steps make a vault, store in it and tell errors apart")
  func firstSteps() async throws {
    let steps = FirstSteps()
    let other = folder.file("other/v")
    let item = Item(space: space, account: "ann", secret: Secret("one"))
    try await steps.make(folder.file("other key"), other, item)
    let made = try await Vault.open(path: other, key: .keyFile(folder.file("other key")))
    #expect(try made.users(for: space) == ["ann"])

    await steps.handle(vault, space)
    #expect(steps.printed.take() == ["no credential for \(space)"])
    try await steps.store(Secret("one"), for: space, in: vault)
    #expect(try await vault.defaultCredential(for: space)?.persistence == .permanent)
    #expect(steps.printed.take() == [])
    await steps.handle(vault, space)
    #expect(steps.printed.take() == ["ann at \(space), permanent"])
    try await vault.lock()
    await steps.handle(vault, space)
    #expect(steps.printed.take() == ["unlock the vault first"])
    try await vault.close()
    await steps.handle(vault, space)
    let lines = steps.printed.take()
    #expect(lines.count == 1 && lines[0].contains("closed"), "\(lines)")
  }

  @Test("the first steps say where a policy keeps less than was asked for")
  func limited() async throws {
    let steps = FirstSteps()
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "session")
      rule.maximumPersistence = .session
      rules = [rule]
    }
    try await steps.store(Secret("one"), for: space, in: vault)
    #expect(steps.printed.take() == ["kept for: session"])
  }

  @Test("spaces are one in different spellings, and what was removed or replaced comes back")
  func spacesAndCredentials() async throws {
    let article = SpacesAndCredentials()
    try article.spaces()
    #expect(article.printed.take() == ["true true"])
    try await FirstSteps().store(Secret("one"), for: space, in: vault)
    try await article.users(vault, space)
    #expect(article.printed.take() == ["ann permanent"])
    #expect(try vault.defaultUser(for: space) == "ann")

    try await article.modify(vault, space, Secret("two"))
    let query = ItemQuery(space)
    let item = try vault.findUnique(query, withSecrets: true)
    #expect(item.label == "Team Git" && item.secret?.isEqual(to: Secret("two")) == true)
    try await article.undo(vault, item, query)
    let restored = try vault.findUnique(query, withSecrets: true)
    #expect(restored.id == item.id && restored.secret?.isEqual(to: Secret("one")) == true)
    #expect(
      try ProtectionSpace(host: "GIT.example.com.", port: 443, realm: "Team Git") == space)
  }

  @Test("the policy keeps what was accepted and drops what was rejected", arguments: [true, false])
  func policy(isAccepted: Bool) async throws {
    let article = WhatMayBeRemembered(isAccepted: isAccepted)
    try await article.change(vault)
    let credential = Credential(user: "ann", secret: Secret("one"), persistence: .permanent)
    try await article.store(credential, for: space, in: vault)
    #expect(try vault.users(for: space) == (isAccepted ? ["ann"] : []))
    try await article.apply(vault, space)
    #expect(article.printed.take() == ["permanent only what works"])
    let explanation = try vault.policy.explain(space)
    #expect(explanation.decision.onlyAfterAcceptance)
  }

  @Test("a lost key's slot is dropped, and the vault is locked and opened with the other key")
  func unlocking() async throws {
    let article = Slots()
    let lost = try vault.keys.addRecoveryCode(name: "lost").slot
    try await article.rekey(vault, keyPath, lost)
    #expect(article.printed.take() == ["removed slots: [\(lost.id)]"])
    #expect(try vault.keys.slots().count == 1)
    try await Unlocking().lock(vault, keyPath)
    #expect(try vault.state() == .unlocked)
  }
}

/// The output of `Scripts/docs` for the modules that were built with these tests.
@Suite("the documentation of the libraries", .waiting)
struct DocCTests {
  let sandbox: Sandbox
  var folder: URL { sandbox.folder.appending(path: "docs") }

  init() throws { sandbox = try Sandbox() }

  func make(_ what: String) throws {
    let script = Project.root.appending(path: "Scripts/docs").path
    let result = try sandbox.run(
      ["python3", script, what, Project.products.path, folder.path], limit: 600)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(
    "DocC makes a site of it without a warning, with all guides and articles, which works below any path"
  )
  func site() throws {
    try make("site")
    let data = folder.appending(path: "data/documentation")
    for article in ArticlesTests.articles {
      let words = article.lowercased().split { "/.".contains($0) }
      let (product, name) = (words[2], words[4])
      let page = name == product ? "\(product).json" : "\(product)/\(name).json"
      #expect(FileManager.default.fileExists(atPath: data.appending(path: page).path), "\(page)")
    }
    let first = try String(contentsOf: folder.appending(path: "index.html"), encoding: .utf8)
    let links = first.matches(of: /href="([^"]+)"/).map { String($0.1) }
    #expect(
      Set(links).isSuperset(of: ArticlesTests.products.map { "documentation/\($0.lowercased())/" }))
    let guides = try FileManager.default.contentsOfDirectory(
      atPath: Project.root.appending(path: "Documentation").path
    ).filter { $0.hasSuffix(".md") && $0 != "README.md" }
    #expect(
      Set(links).isSuperset(
        of: guides.map { "documentation/guides/\($0.dropLast(".md".count))/" }
          + ["man/index.html"]))
    for link in links {
      let page = folder.appending(path: link.hasSuffix("/") ? "\(link)index.html" : link).path
      #expect(FileManager.default.fileExists(atPath: page), "\(link)")
    }
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    let pages = try #require(files).filter { $0.hasSuffix(".html") }
    #expect(pages.count > 200)
    let fixed = try pages.filter { page in
      let text = try String(contentsOf: folder.appending(path: page), encoding: .utf8)
      return ["href=\"/", "src=\"/", "baseUrl = \"/\""].contains { text.contains($0) }
    }
    #expect(fixed.count == 0, "\(fixed.prefix(3))")
    let search = try String(contentsOf: folder.appending(path: "search.json"), encoding: .utf8)
    for entry in [
      "[\"Cookbook\",\"documentation/guides/cookbook/\"",
      "[\"vaultctl-find(1)\",\"man/vaultctl-find.html\"",
      "[\"ProtectionSpace\",\"documentation/credentialvault/protectionspace/\"",
    ] { #expect(search.contains(entry), "\(entry)") }
  }

  @Test("the public symbols are those of Documentation/api, where `make docs` lists them")
  func symbols() throws {
    try make("api")
    for product in ArticlesTests.products {
      let made = try String(
        contentsOf: folder.appending(path: "\(product).txt"), encoding: .utf8)
      let kept = try Project.text(of: "Documentation/api/\(product).txt")
      let change = made.split(separator: "\n").difference(from: kept.split(separator: "\n"))
      #expect(change.isEmpty)
    }
  }

  @Test("Vault itself has at most 45 members in all products, those with overloads counted once")
  func members() throws {
    let names = try ArticlesTests.products.flatMap { product in
      try Project.text(of: "Documentation/api/\(product).txt")
        .matches(of: /(?m)^Vault\.([a-z]\w*)[(:]/).map { String($0.1) }
    }
    #expect(Set(names).isSuperset(of: ["find", "write", "keys", "trust"]))
    #expect(Set(names).count <= 45, "\(Set(names).sorted())")
  }
}
