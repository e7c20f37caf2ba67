public import VaultModel

extension Output {
  /// Writes the one document of `--json`, whose form is the same for all commands: whether it went
  /// well, why not, and then the command's own members.
  ///
  /// - Parameters:
  ///   - error: The reason why the command failed, with the items that it may have meant.
  ///   - members: Writes the command's own members.
  /// - Throws: Any error of `members` and of the output.
  public func document(
    error: VaultError? = nil,
    _ members: (inout JSONWriter) throws(VaultError) -> Void = { _ in }
  ) throws(VaultError) {
    try document(status: nil, error: error, members)
  }

  /// Writes the document of a command that has its exit status, if there is one, as `exit`.
  ///
  /// - Throws: As ``document(error:_:)``.
  func document(
    status: ExitCode?, error: VaultError? = nil,
    _ members: (inout JSONWriter) throws(VaultError) -> Void
  ) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("ok", (status ?? .success) == .success && error == nil)
      if let status { try json.field("exit", status.rawValue) }
      if let error { try json.field("error", error) }
      try members(&json)
    }
  }

  /// Writes a document that is an object, and a line feed.
  func object(
    _ members: (inout JSONWriter) throws(VaultError) -> Void
  ) throws(VaultError) {
    var json = JSONWriter(self)
    try json.object(members)
    try write(byte: UInt8(ascii: "\n"))
  }
}

extension JSONWriter {
  fileprivate mutating func field(_ name: String, _ error: VaultError) throws(VaultError) {
    let exit = ExitCode(error.code)
    try object(name) { (json) throws(VaultError) in
      try json.field("code", exit == .usage ? "usage" : error.code.description)
      try json.field("exit", exit.rawValue)
      try json.field("message", error.text)
      guard !error.candidates.isEmpty else { return }
      try json.array("candidates", error.candidates) { (item, json) throws(VaultError) in
        try json.value(item)
      }
    }
  }
}
