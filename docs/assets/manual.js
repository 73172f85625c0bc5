// Material gives the search dialog no name for screen readers.
document.querySelector(".md-search").setAttribute("aria-label", "Search");
