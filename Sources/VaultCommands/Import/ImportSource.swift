import Glibc
import Interchange
import SecureMemory
import VaultModel
import VaultTerminal

/// The entries of the file, standard input or folder that an import was told to read.
struct ImportSource {
  let format: InterchangeFormat
  /// The path of the file; nil for standard input, and for folders, which stay encrypted.
  let file: String?
  private let bytes: ByteSource?
  private let byteCount: Int
  private var reader: any EntryReader

  /// Opens the source, detects its format if none was named, and reads its beginning; a pipe is
  /// read to its end.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an unknown format or a terminal;
  ///   ``VaultError/Code/missingInput`` if the file cannot be opened; as ``PipedInput/read(_:)``,
  ///   ``InterchangeFormat/detect(_:)`` and ``InterchangeFormat/reader(of:_:)``.
  init(_ invocation: Invocation, _ options: ReadingOptions) throws(VaultError) {
    let name = invocation.arguments.operands[0]
    let path = invocation.arguments.operands.dropFirst().first ?? ""
    let named = InterchangeFormat(name: name)
    guard named != nil || name == "auto" else {
      throw VaultError(.invalidArgument, "FORMAT is not one that is known")
    }
    guard named != .secretService else {
      guard path.isEmpty else {
        throw VaultError(.invalidArgument, "secret-service reads no file: it asks the session bus")
      }
      let (source, count) = try SecretServiceSource.read(invocation)
      (format, file, bytes, byteCount) = (.secretService, nil, source, count)
      reader = try InterchangeFormat.secretService.reader(of: source, options)
      return
    }
    guard !path.isEmpty else { throw VaultError(.invalidArgument, "import needs FILE") }
    let descriptor = try Self.open(path, invocation)
    var status = stat()
    // The structure is ours.
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw VaultError(.missingInput, path, underlying: .errno(errno))
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      guard named == nil || named == .pass else {
        throw VaultError(.missingInput, "\(path) is a folder")
      }
      close(descriptor)
      (format, file, bytes, byteCount) = (.pass, nil, nil, 0)
      reader = try PassStore(path, options, invocation)
      return
    }
    guard named != .pass else {
      throw VaultError(.missingInput, "a pass store is a folder, and \(path) is none")
    }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    let (source, count) =
      isFile
      ? (Self.source(descriptor), Int(status.st_size)) : try PipedInput.read(descriptor)
    let format =
      if let named { named } else {
        try InterchangeFormat.detect(source, hasMap: !options.columns.isEmpty)
      }
    var options = options
    if isFile {
      options.again = { () throws(VaultError) in
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
          throw VaultError(.missingInput, path, underlying: .errno(errno))
        }
        return Self.source(descriptor)
      }
    }
    self.format = format
    file = path == "-" ? nil : path
    bytes = source
    byteCount = count
    reader = try format.reader(of: source, options)
  }

  /// Returns the next entry; nil at the end.
  mutating func next() throws(VaultError) -> Entry? { try reader.next() }

  /// The share of the source that was read, 0 if that is not known.
  var share: Double {
    guard let bytes else { return (reader as? PassStore)?.share ?? 0 }
    guard byteCount > 0 else { return 0 }
    return min(Double(bytes.offset) / Double(byteCount), 1)
  }

  private static func open(_ path: String, _ invocation: Invocation) throws(VaultError) -> Int32 {
    guard path == "-" else {
      // The path is copied into a string that ends with NUL for the call.
      let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else {
        throw VaultError(.missingInput, path, underlying: .errno(errno))
      }
      return descriptor
    }
    guard isatty(STDIN_FILENO) != 1 else {
      throw VaultError(.invalidArgument, "passwords would show on the terminal: name a file")
    }
    guard try invocation.arguments.parsed(.passphraseFD, as: Values.descriptor) != STDIN_FILENO
    else {
      throw VaultError(
        .invalidArgument, "the passphrase and the entries cannot come from one descriptor")
    }
    return STDIN_FILENO
  }

  private static func source(_ descriptor: Int32) -> ByteSource {
    // The memory is valid during the call, and as long as it says.
    unsafe ByteSource { (memory) throws(VaultError) in
      try unsafe Descriptor.read(into: memory, from: descriptor)
    }
  }
}

/// Input that is not a file: a pipe, or a device.
///
/// It is read to its end before the vault is locked, because its writer may pause for any time, and
/// no other program could change the vault meanwhile.
enum PipedInput {
  /// The most bytes that are kept: half a million entries.
  static let limit = 64 << 20
  private static let pieceSize = 1 << 20

  /// Returns the bytes, in guarded memory, and their number.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` beyond the limit; any error of
  ///   ``Descriptor/read(into:from:until:)``.
  static func read(
    _ descriptor: Int32
  ) throws(VaultError) -> (bytes: ByteSource, count: Int) {
    var pieces: [Secret] = []
    var count = 0
    while true {
      var filled = 0
      let piece = try unsafe Secret(count: pieceSize) { (memory) throws(VaultError) in
        filled = try unsafe Descriptor.read(into: memory, from: descriptor)
      }
      count += filled
      guard count <= limit else {
        throw VaultError(
          .tooLarge, "more than \(limit >> 20) MiB come from a pipe: import them from a file")
      }
      pieces.append(filled == pieceSize ? piece : piece.prefix(filled))
      if filled < pieceSize { return (ByteSource(pieces), count) }
    }
  }
}
