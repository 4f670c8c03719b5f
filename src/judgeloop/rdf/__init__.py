"""Terms, parsing, JSON-LD mapping, canonical bytes and `.rq` files: everything that touches RDF but no store."""
