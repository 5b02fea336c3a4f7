"""The library: pages of documents, and their collections."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from ark_tui.domain.documents import Document, Tier
from ark_tui.domain.errors import Hint
from ark_tui.domain.library import CollectionRemoved, FieldCount, Listing, Order, Renamed
from ark_tui.domain.work import CollectionInfo
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import Name, Offset, Tags
from ark_tui.operations.params import Page as Limit

Collection = Annotated[
    Name, Param("The name of a collection.", example="notes", metavar="NAME", argument=True)
]


@operation("documents list", Effect.READS, command="doc list",
         example="ark-tui doc list --tag theory --order date",
         listed="documents", owned=True)  # fmt: skip
def documents(
    call: Call,
    collection: Annotated[str, Param("Only those of a collection.", example="notes", metavar="NAME")] = "",
    words: Annotated[
        str,
        Param("Only those with all of these words in title, path or tags.", example="gap", metavar="TEXT"),
    ] = "",
    tags: Annotated[Tags, Param("Only those with this tag; of several, with all.", wire="tag")] = (),
    tier: Annotated[Tier | None, Param("Only those of this tier.")] = None,
    pinned: Annotated[bool, Param("Only the pinned ones.")] = False,
    trashed: Annotated[bool, Param("Only those in the trash.")] = False,
    order: Annotated[Order, Param("By title, by path, or by date, the newest first.")] = "title",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Page[Document]:
    """List documents, the pinned ones first."""
    listing = Listing(collection, words, order, tags, tier, pinned, trashed)
    found = call.engine.library.documents(listing, offset, limit)
    return Page(found.rows, found.total, limit, offset)


@operation("fields", Effect.READS, command="doc fields", example="ark-tui doc fields author",
         route="GET /fields", listed="fields")  # fmt: skip
def fields(
    call: Call,
    key: Annotated[
        str, Param("List its values instead.", example="author", metavar="KEY", argument=True)
    ] = "",
    limit: Limit = 1000,
    offset: Offset = 0,
) -> Page[FieldCount]:
    """List the keys of front matter and metadata, and how many documents have each.

    Each is a filter of searches: author:ann, rating:>3, due:<2026-04, has:due.
    """
    return page(call.engine.library.fields(key), limit, offset)


@operation(
    "tags list", Effect.READS, command="doc tags", example="ark-tui doc tags", route="GET /tags",
    listed="tags",
)  # fmt: skip
def tags(call: Call, limit: Limit = 1000, offset: Offset = 0) -> Page[FieldCount]:
    """List the tags and how many documents have each, the commonest first."""
    found = call.engine.values("tag")
    return page([FieldCount(name, count) for name, count in found.items()], limit, offset)


@operation("collections list", Effect.READS, command="doc collections", example="ark-tui doc collections",
         route="GET /collections", listed="collections")  # fmt: skip
def collections(call: Call, limit: Limit = 1000, offset: Offset = 0) -> Page[CollectionInfo]:
    """List the collections and their sizes.

    Only a person sees the folders that they follow.
    """
    found = call.engine.status().collections
    return page(found if call.person else [replace(one, root=None) for one in found], limit, offset)


@operation("collections rename", Effect.SETS, command="doc collections rename",
         example="ark-tui doc collections rename notes work",
         route="POST /collections/{name}/rename")  # fmt: skip
def rename(
    call: Call,
    name: Collection,
    to: Annotated[Collection, Param("Its new name.", example="work", metavar="NEW")],
) -> Renamed:
    """Rename a collection.

    Its documents keep their ids, tags and links; `in:NEW` searches it. `undo` restores the old name. Saved
    searches that name it by `in:` are not changed.
    """
    from ark_tui.curation import edits

    done = call.engine.curation.edit(edits.rename_collection, name, to)
    return Renamed(to.strip(), name, done.edit)


@operation("collections remove", Effect.DESTROYS, command="doc collections remove",
         example="ark-tui doc collections remove notes --yes",
         route="POST /collections/{name}/remove")  # fmt: skip
def remove(
    call: Call,
    name: Collection,
    yes: Annotated[bool, Param("Do it. Without it, the command only shows what would be removed.")] = False,
    dry_run: Annotated[bool, Param("Only show what would be removed, even with yes.")] = False,
) -> CollectionRemoved:
    """Remove a collection: its folder is no longer followed, its files stay.

    Its documents are removed from the home with their text, vectors and words; the files are not touched.
    Tags, tiers, links and judgments are kept under the collection's name: indexing the folder again by that
    name restores everything. A folder that the configuration names is indexed again by the next run. Texts
    without a file are not removed: move them to the trash.
    """
    done = yes and not dry_run
    roots = call.engine.library.roots()
    count = call.engine.library.remove(name, dry_run=not done)
    folder = roots.get(name, "") if call.person else "FOLDER"
    return CollectionRemoved(name, count, done, Hint.run("index", folder, collection=name))
