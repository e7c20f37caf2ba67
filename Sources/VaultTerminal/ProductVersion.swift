/// The version of everything that is built of these sources, as `CHANGELOG.md` names it.
package enum ProductVersion {
  package static let current = "0.2.0"
}
