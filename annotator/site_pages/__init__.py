"""Pages of a site: Markdown with HTML blocks, made from plain data with the templates in the folder site/.

Whatever comes from upstream or from anchor files is data. Templates cannot let it through by mistake: `templates`
turns every value into character references unless a function of this package made it, and those functions build
their markup from escaped text.
"""
