import CVaultFormats
import Glibc
import SecureMemory
import VaultModel

/// Parses XML (libexpat) in pieces, and tells its delegate about elements and their text.
///
/// A document type that declares anything is refused, so there are no entities but XML's own five,
/// and nothing is loaded or expanded. expat's memory is wiped when it is freed, and no single piece
/// of it is larger than ``largestAllocation``. Control characters that XML forbids are text like
/// any other (``XMLCharacters``).
///
/// `@safe`: the parser is this object's alone until `deinit`, and calls back only during ``parse``,
/// while the object is alive.
@safe
final class XMLEvents {
  /// The receiver of the events.
  protocol Delegate: AnyObject {
    func begin(
      _ element: String, attributes: [(name: String, value: String)])
      throws(VaultError)
    func text(_ bytes: RawSpan) throws(VaultError)
    func end(_ element: String) throws(VaultError)
  }

  private static let largestAllocation = 8 << 20
  private static let deepest = 256
  /// expat keeps every name that it ever saw.
  private static let mostNames = 1000

  private let parser: OpaquePointer
  private let name: StaticString
  private let characters = XMLCharacters()
  private weak var delegate: (any Delegate)?
  private var problem: VaultError?
  private var depth = 0
  private var names: Set<String> = []

  /// - Parameters:
  ///   - name: The format, for errors.
  ///   - delegate: Not kept alive.
  /// - Throws: ``VaultError/Code/outOfMemory``.
  init(_ name: StaticString, delegate: any Delegate) throws(VaultError) {
    var memory = XML_Memory_Handling_Suite()
    // The functions take and give the addresses of whole blocks.
    unsafe memory.malloc_fcn = { count in
      count > XMLEvents.largestAllocation ? nil : unsafe calloc(1, count)
    }
    // expat passes what these functions returned, or NULL.
    unsafe memory.realloc_fcn = { old, count in
      count > XMLEvents.largestAllocation ? nil : unsafe reallocateWiping(old, to: count)
    }
    unsafe memory.free_fcn = { unsafe wipeAndFree($0) }
    // The suite is copied; the default encoding is the document's own.
    guard let parser = unsafe XML_ParserCreate_MM(nil, &memory, nil) else {
      throw VaultError(.outOfMemory, "no memory to read XML")
    }
    unsafe self.parser = unsafe parser
    self.name = name
    self.delegate = delegate
    // Callbacks happen only inside `parse`, which keeps this object alive.
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser, { unsafe XMLEvents.of($0).begin($1, $2) }, { unsafe XMLEvents.of($0).end($1) })
    unsafe XML_SetCharacterDataHandler(parser) { unsafe XMLEvents.of($0).text($1, $2) }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, hasSubset in
      guard hasSubset != 0 else { return }
      unsafe XMLEvents.of(data).stop(
        VaultError(.invalidData, "a document type with declarations is not allowed"))
    }
    // Behind the name of a document type, an entity that is not known would be no error.
    unsafe XML_SetSkippedEntityHandler(parser) { data, _, _ in
      unsafe XMLEvents.of(data).stop(VaultError(.invalidData, "an entity that is not known"))
    }
  }

  deinit {
    // Created in `init`, and not inside a callback.
    unsafe XML_ParserFree(parser)
  }

  /// The number of the line of the current event, from 1.
  var line: Int { unsafe Int(clamping: XML_GetCurrentLineNumber(parser)) }

  /// Parses the next bytes.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` with the line if they are not well-formed;
  ///   ``VaultError/Code/tooLarge`` beyond a limit; any error of the delegate.
  func parse(_ bytes: RawSpan, isLast: Bool) throws(VaultError) {
    let status = try characters.withAccepted(bytes, isLast: isLast) {
      (bytes) throws(VaultError) in
      // The bytes outlive the call, and their count is at most four times that of a piece.
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe XML_Parse(
          parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
          isLast ? 1 : 0)
      }
    }
    if let problem {
      throw VaultError(problem.code, "\(name), line \(line): \(problem.context)")
    }
    guard status != XML_STATUS_OK else { return }
    let error = unsafe XML_GetErrorCode(parser)
    if error == XML_ERROR_NO_MEMORY {
      throw VaultError(.tooLarge, "\(name), line \(line): a piece of markup is too long")
    }
    // A constant text of the library, or NULL.
    let reason = unsafe XML_ErrorString(error).map { unsafe String(cString: $0) } ?? "malformed"
    throw VaultError(.invalidData, "\(name), line \(line): \(reason)")
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> XMLEvents {
    guard let data = unsafe data else { preconditionFailure("expat lost its user data") }
    // The pointer that `init` gave it: this object, which is alive while it parses.
    return unsafe Unmanaged<XMLEvents>.fromOpaque(data).takeUnretainedValue()
  }

  private func stop(_ error: VaultError) {
    if problem == nil { problem = error }
    // Inside a callback; no further event comes but perhaps the end of an empty element.
    _ = unsafe XML_StopParser(parser, XML_Bool(0))
  }

  private func begin(
    _ element: UnsafePointer<CChar>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard problem == nil, let element = unsafe element else { return }
    // NUL-terminated strings that are valid during the callback; the list of names and values ends
    // with NULL.
    let name = unsafe String(cString: element)
    var list: [(name: String, value: String)] = []
    var index = 0
    while let attribute = unsafe attributes?[index], let value = unsafe attributes?[index + 1] {
      unsafe list.append((String(cString: attribute), String(cString: value)))
      index += 2
    }
    depth += 1
    names.insert(name)
    for (name, _) in list { names.insert(name) }
    guard depth <= Self.deepest, names.count <= Self.mostNames else {
      stop(VaultError(.tooLarge, "too many elements inside one another, or of too many names"))
      return
    }
    do throws(VaultError) {
      try delegate?.begin(name, attributes: list)
    } catch {
      stop(error)
    }
  }

  private func text(_ start: UnsafePointer<CChar>?, _ count: Int32) {
    guard problem == nil else { return }
    do throws(VaultError) {
      // The bytes are valid during the callback.
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(count)).bytes
      try characters.restore(bytes) { (bytes) throws(VaultError) in try delegate?.text(bytes) }
    } catch {
      stop(error)
    }
  }

  private func end(_ element: UnsafePointer<CChar>?) {
    guard problem == nil, let element = unsafe element else { return }
    depth -= 1
    do throws(VaultError) {
      // A NUL-terminated string that is valid during the callback.
      try delegate?.end(unsafe String(cString: element))
    } catch {
      stop(error)
    }
  }
}
